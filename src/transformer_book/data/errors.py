"""The one error that everything about data raises."""


class DataError(ValueError):
    """Data is missing, damaged or not what was asked for; the message says what to do.

    Parameters
    ----------
    message : str
        What was given, what was expected, what to do. It may name a path of this machine.
    reason : str, optional
        The cause in a few words and without paths, fit for a published page.
    """

    def __init__(self, message, reason=None):
        super().__init__(message)
        self.reason = reason or message
