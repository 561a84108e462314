/** What a decoder keeps from step to step, so that no key or value is computed twice. */

import { vstack } from "../by_hand/matrix.js";

/** @typedef {import("../by_hand/matrix.js").Matrix} Matrix */

/** Keys and values of one attention, (n, d_model) each, before the split into heads. */
export class KeyValueCache {
  K = null;
  V = null;

  /**
   * Put new rows after those already kept, and return all of them.
   * @param {Matrix} K
   * @param {Matrix} V
   * @returns {[Matrix, Matrix]}
   */
  extend(K, V) {
    this.K = this.K ? vstack([this.K, K]) : K;
    this.V = this.V ? vstack([this.V, V]) : V;
    return [this.K, this.V];
  }

  /** @returns {KeyValueCache} one that grows on its own; what is kept so far is shared */
  copy() {
    return Object.assign(new KeyValueCache(), this);
  }
}

/** A cache for the self-attention and one for the cross-attention of each of N layers. */
export class DecoderCache {
  /** @param {number} N */
  constructor(N) {
    const layer = () => ({
      self_attention: new KeyValueCache(),
      cross_attention: new KeyValueCache(),
    });
    this.layers = Array.from({ length: N }, layer);
  }

  /** @returns {number} the number of target tokens that have gone through the decoder */
  get length() {
    return this.layers[0].self_attention.K?.rows ?? 0;
  }

  /** @returns {DecoderCache} */
  copy() {
    const other = new DecoderCache(0);
    other.layers = this.layers.map(({ self_attention, cross_attention }) => ({
      self_attention: self_attention.copy(),
      cross_attention: cross_attention.copy(),
    }));
    return other;
  }
}
