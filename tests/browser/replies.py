"""Answers that stand in for those of the server, until it answers by itself again."""

ABORT = "abort"  # no answer at all


class Replies:
    """Answer what is asked of some addresses otherwise, as long as ``answer`` is not None.

    The route stays for as long as the page does: where Playwright takes one away, a request that is
    under way may never be answered.

    Parameters
    ----------
    where : Page or BrowserContext
        The latter's routes hold for the page's threads, too.
    address : str
        A pattern.
    answer : dict or ABORT, optional
        The arguments of ``Route.fulfill``.
    """

    def __init__(self, where, address, answer=None):
        self.answer = answer
        where.route(address, self._reply)

    def _reply(self, route):
        if self.answer is None:
            route.continue_()
        elif self.answer == ABORT:
            route.abort()
        else:
            route.fulfill(**self.answer)
