/**
 * Follows a reader through the lessons. Sections that have moved to a lesson's laboratory are found
 * there under their old addresses. Which lessons were read is kept in this browser and nowhere else.
 * A plain script and no module, so that it runs where the book is opened as files, too.
 */
{
  const KEY = "executable-transformer.read";
  const STAY = 1000; // ms for which the end of a lesson is on screen when it was read
  const WORDS = {
    read: "read",
    progress: (read, all) => `${read} of ${all} lessons read`,
    forget: ["Forget", "Forget which lessons were read"],
    undo: ["Undo", "Undo: read again what was forgotten"],
    next: (read, name) => `${read ? "Go on with" : "Begin with"} ${name}`,
  };

  /** Go on to the page that has what the address names, if this one has it no longer. */
  function follow() {
    const moved = document.getElementById("tb-moved");
    if (!moved) return;
    const { search, hash } = location;
    for (const [to, anchors] of Object.entries(JSON.parse(moved.textContent))) {
      const gone = anchors.find((id) => hash === `#${id}` || hash === `#${encodeURIComponent(id)}`);
      if (gone && !document.getElementById(gone)) return location.replace(to + search + hash);
    }
  }

  /** What was read: true, or false where the reader has said so. @type {Object<string, boolean>} */
  let marks = {};
  /** What was forgotten on this page, until the next mark. @type {Object<string, boolean>|null} */
  let forgotten = null;

  /** Without storage, as some browsers have it for files, marks last as long as the page. */
  function load() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      marks = kept?.constructor === Object ? kept : {};
    } catch { /* none, or not ours */ }
  }

  function keep() {
    try {
      if (Object.keys(marks).length) localStorage.setItem(KEY, JSON.stringify(marks));
      else localStorage.removeItem(KEY);
    } catch { /* full, or none */ }
    show();
  }

  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".bd-sidebar-primary a[data-lesson]");
  const progress = document.querySelector(".bd-sidebar-primary .tb-progress");
  const box = /** @type {HTMLInputElement|null} */ (document.querySelector(".tb-mark input"));
  const isRead = (/** @type {string} */ lesson) => marks[lesson] === true;

  function check() {
    const sign = document.createElement("span");
    const [seen, said] = [document.createElement("span"), document.createElement("span")];
    sign.className = "tb-check";
    seen.textContent = "✓";
    seen.ariaHidden = "true";
    said.textContent = ` ${WORDS.read} `;
    said.className = "visually-hidden";
    sign.append(seen, said);
    return sign;
  }

  function show() {
    for (const link of links) {
      link.querySelector(".tb-check")?.remove();
      if (isRead(link.dataset.lesson)) link.querySelector(".tb-time")?.prepend(check());
    }
    const read = [...links].filter((link) => isRead(link.dataset.lesson)).length;
    if (progress) {
      progress.querySelector("span").textContent = WORDS.progress(read, links.length);
      const button = progress.querySelector("button");
      [button.textContent, button.ariaLabel] = forgotten ? WORDS.undo : WORDS.forget;
      button.ariaDisabled = String(!read && !forgotten);
      showNext(read);
    }
    if (box) box.checked = isRead(box.value);
  }

  /**
   * The first lesson that was not read, or the tour where none was, in a line that is always there, so
   * that nothing moves.
   */
  function showNext(/** @type {number} */ read) {
    const line = /** @type {HTMLAnchorElement} */ (document.querySelector(".tb-next"));
    const tour = document.querySelector(".bd-sidebar-primary a[data-tour]");
    const first = [...links].find((link) => !isRead(link.dataset.lesson)) ?? links[0];
    const next = /** @type {HTMLAnchorElement} */ ((!read && tour) || first);
    if (!line || !next) return;
    line.href = next.href;
    line.textContent = WORDS.next(read, next.firstChild.textContent.trim());
  }

  function begin() {
    load();
    show();
    addEventListener("storage", () => { load(); show(); }); // another window has marked
    addEventListener("pageshow", () => { load(); show(); }); // back from another page
    progress?.querySelector("button").addEventListener("click", () => {
      progress.querySelector("span").setAttribute("role", "status"); // said aloud, from now on
      [marks, forgotten] = forgotten ? [forgotten, null] : [{}, marks];
      keep();
    });
    if (!box) return;
    box.addEventListener("change", () => {
      forgotten = null;
      marks[box.value] = box.checked;
      keep();
    });
    let staying = 0;
    const end = new IntersectionObserver(([{ isIntersecting }]) => {
      clearTimeout(staying);
      if (isIntersecting) staying = setTimeout(seen, STAY);
    });
    const seen = () => {
      end.disconnect();
      load();
      if (box.value in marks) return; // read before, or the reader has said that it was not
      marks[box.value] = true;
      keep();
    };
    end.observe(box);
  }

  follow();
  addEventListener("hashchange", follow);
  begin();
}
