/** Elements in one expression: h("button", {type: "button", onclick: step}, "Step back"). */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Object<string, *>} [properties] onX adds a listener; true is an empty attribute; false
 *   and null leave it out
 * @param {...(Node|string|number)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/**
 * Make an SVG element, in the same way.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Object<string, *>} [properties]
 * @param {...(Node|string|number)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * Make a symbol as formulas have it: "W_Q1" is an italic W with Q1 below the line.
 * @param {string} name letters, then "_" and what is below the line; "ᵀ" at the end is raised
 * @param {string} [role] whose colour it has
 */
export function symbol(name, role) {
  const raised = name.endsWith("ᵀ");
  const [letter, below] = name.replace("ᵀ", "").split("_");
  const colour = role ? ` tb-${role}` : "";
  const made = h("span", { class: `tb-symbol${colour}` }, h("i", {}, letter));
  if (below) made.append(h("sub", {}, below));
  if (raised) made.append(h("sup", {}, "T"));
  return made;
}
