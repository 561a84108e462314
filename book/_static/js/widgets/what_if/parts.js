/** The parts that can be taken away: their names in the address, and what the model is told. */

import { whole, words } from "../../kit/state.js";
import { LONGEST } from "../../translator/fields.js";

export const SWITCHES = ["scale", "mask", "source", "target"];
const ALL = "residual"; // in the address: every residual connection there is

/**
 * A sub-layer. Its parts are `e1.1` to `e1.4`, its heads, and `e1.r`, its residual connection.
 * @typedef {{code: string, name: string, stack: "encoder"|"decoder", layer: number,
 *   kind: "self"|"masked"|"cross"|"feed_forward", heads: string[], residual: string}} SubLayer
 */

/**
 * @param {{N: number, h: number}} about the model
 * @returns {SubLayer[]} in the order that a sentence passes them
 */
export function subLayers({ N, h }) {
  const layers = Array.from({ length: N }, (_, i) => i + 1);
  const one = (stack, layer, code, kind, module) => ({
    code: `${code}${layer}`, name: `${stack}.${layer - 1}.${module}`, stack, layer, kind,
    heads: kind === "feed_forward" ? []
      : Array.from({ length: h }, (_, k) => `${code}${layer}.${k + 1}`),
    residual: `${code}${layer}.r`,
  });
  return [
    ...layers.flatMap((i) => [
      one("encoder", i, "e", "self", "self_attention"),
      one("encoder", i, "ef", "feed_forward", "feed_forward"),
    ]),
    ...layers.flatMap((i) => [
      one("decoder", i, "m", "masked", "self_attention"),
      one("decoder", i, "c", "cross", "cross_attention"),
      one("decoder", i, "df", "feed_forward", "feed_forward"),
    ]),
  ];
}

/** A list of parts, separated by commas. */
const parts = (subs) => {
  const residual = subs.map((sub) => sub.residual);
  const known = [...SWITCHES, ...subs.flatMap((sub) => [...sub.heads, sub.residual])];
  return {
    initial: [],
    /** @param {string} text */
    read(text) {
      const given = text.split(",").filter(Boolean)
        .flatMap((part) => (part === ALL ? residual : [part]));
      if (!given.every((part) => known.includes(part))) return undefined;
      return known.filter((part) => given.includes(part));
    },
    /** @param {string[]} off */
    write(off) {
      const whole = residual.every((part) => off.includes(part));
      const short = known.filter((part) => off.includes(part) && !(whole && residual.includes(part)));
      return [...short, ...(whole ? [ALL] : [])].join(",");
    },
  };
};

/** The places of two words that are swapped, from 1; none where none are. */
const pair = {
  initial: [],
  /** @param {string} text */
  read(text) {
    if (text === "") return [];
    const found = text.match(/^([1-9]\d?),([1-9]\d?)$/);
    return found && found[1] !== found[2] ? [Number(found[1]), Number(found[2])] : undefined;
  },
  write: (places) => places.join(","),
};

/** A sentence; none is the first, so that a link can set it back. */
const orFirst = (first) => {
  const field = words(first, LONGEST);
  return { ...field, read: (text) => field.read(text || first) };
};

/**
 * What the address keeps.
 * @param {{N: number, h: number, sentences: string[]}} about the model, see translator/about.js
 */
export const fieldsOf = (about) => ({
  sentence: orFirst(about.sentences[0]),
  off: parts(subLayers(about)),
  swap: pair,
  step: whole(0, 0, 99), // 0: where the two translations part
});

/**
 * @param {string[]} off parts
 * @param {SubLayer[]} subs
 * @returns {import("../../decode/trace.js").Changes}
 */
export function changesOf(off, subs) {
  const gone = (part) => off.includes(part);
  return {
    scale: !gone("scale"),
    causal: !gone("mask"),
    positions: /** @type {Array<"source"|"target">} */ (["source", "target"]).filter(gone),
    residual: subs.filter((sub) => gone(sub.residual)).map((sub) => sub.name),
    silenced: subs.flatMap((sub) => sub.heads.flatMap((part, k) =>
      /** @type {Array<[string, number]>} */ (gone(part) ? [[sub.name, k]] : []))),
  };
}
