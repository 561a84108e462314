/** Requests that come, grow and end, and the blocks that they hold at each step. */

export const COMMON = 8; // tokens of the beginning that all share, where they begin alike
const GAP = 3; // steps from one arrival to the next, at most
/** @type {[number, number]} */
const OWN = [1, 8]; // tokens of a prompt that are its own
/** @type {[number, number]} */
const ANSWER = [4, 16];

/**
 * @typedef {object} Request
 * @property {string} name
 * @property {number} arrives the step at which it comes
 * @property {number} prompt tokens
 * @property {number} total tokens, when its answer is written
 */

/**
 * @typedef {object} State what there is after a step
 * @property {number[][]} holders for each block the requests that hold it
 * @property {number[]} filled for each block how many of its places have been written
 * @property {number[][]} tables for each request its blocks, in order
 * @property {number[]} lengths
 * @property {Array<"to come"|"waits"|"runs"|"gave way"|"ended">} status
 */

/** The same whole numbers for the same seed, one to the next, from 0 to 2³² − 1. */
function numbers(seed) {
  let state = seed * 2654435761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

/**
 * @param {number} seed
 * @param {number} count
 * @returns {Request[]}
 */
export function requests(seed, count) {
  const next = numbers(seed);
  const between = (low, high) => low + (next() % (high - low + 1));
  let arrives = 0;
  return Array.from({ length: count }, (_, r) => {
    if (r) arrives += between(0, GAP);
    const prompt = COMMON + between(...OWN);
    return { name: String.fromCharCode(65 + r), arrives, prompt, total: prompt + between(...ANSWER) };
  });
}

class Memory {
  constructor(blocks, size, alike) {
    this.size = size;
    this.alike = alike;
    this.counts = Array(blocks).fill(0);
    this.free = [...this.counts.keys()];
    /** @type {Map<number, number>} which block holds this part of the common beginning */
    this.common = new Map();
  }

  /** Blocks for so many tokens behind those of a table, or null where too few are free. */
  grow(table, tokens) {
    const wanted = Math.ceil(tokens / this.size) - table.length;
    if (wanted > this.free.length) return null;
    const taken = this.free.splice(0, wanted);
    for (const block of taken) {
      this.counts[block] = 1;
      for (const [part, its] of this.common) if (its === block) this.common.delete(part);
    }
    return [...table, ...taken];
  }

  /** A new text's blocks; full blocks of the common beginning are shared. */
  add(tokens) {
    const shared = [];
    const whole = this.alike ? Math.floor(COMMON / this.size) : 0;
    while (shared.length < whole && this.common.has(shared.length)) {
      const block = this.common.get(shared.length);
      this.free = this.free.filter((one) => one !== block);
      this.counts[block] += 1;
      shared.push(block);
    }
    const table = this.grow(shared, tokens);
    if (!table) this.giveBack(shared);
    else for (let part = shared.length; part < whole; part += 1) this.common.set(part, table[part]);
    return table;
  }

  giveBack(table) {
    for (const block of [...table].reverse()) {
      this.counts[block] -= 1;
      if (!this.counts[block]) this.free.push(block);
    }
  }
}

/**
 * Let the requests through, until all have ended.
 * @param {Request[]} load
 * @param {{slots: number, size: number, alike: boolean}} how
 * @returns {State[]} one for each step, the first before anyone has come
 */
export function run(load, { slots, size, alike }) {
  const memory = new Memory(Math.floor(slots / size), size, alike);
  const lengths = load.map(({ prompt }) => prompt);
  /** @type {number[][]} */
  const tables = load.map(() => []);
  /** @type {State["status"]} */
  const status = load.map(() => "to come");
  /** @type {number[]} */
  const running = [];
  const states = [snapshot(memory, tables, lengths, status)];
  const leave = (r, how) => {
    memory.giveBack(tables[r]);
    tables[r] = [];
    status[r] = how;
    running.splice(running.indexOf(r), 1);
  };
  const grow = (r) => {
    while (status[r] === "runs") {
      const table = memory.grow(tables[r], lengths[r] + 1);
      if (table) {
        tables[r] = table;
        lengths[r] += 1;
        return;
      }
      leave(running[running.length - 1], "gave way"); // the last that came
    }
  };
  for (let step = 0; status.some((one) => one !== "ended"); step += 1) {
    for (const r of [...running]) if (lengths[r] === load[r].total) leave(r, "ended");
    for (const r of [...running]) grow(r);
    load.forEach(({ arrives }, r) => { if (arrives === step) status[r] = "waits"; });
    for (const r of load.keys()) {
      if (status[r] !== "waits" && status[r] !== "gave way") continue;
      const table = memory.add(lengths[r]);
      if (!table) break; // whoever came later waits too
      [tables[r], status[r]] = [table, "runs"];
      running.push(r);
      running.sort((a, b) => a - b);
    }
    states.push(snapshot(memory, tables, lengths, status));
  }
  return states;
}

function snapshot(memory, tables, lengths, status) {
  const holders = memory.counts.map(() => /** @type {number[]} */ ([]));
  const filled = memory.counts.map(() => 0);
  tables.forEach((table, r) => table.forEach((block, i) => {
    holders[block].push(r);
    filled[block] = Math.min(memory.size, lengths[r] - i * memory.size);
  }));
  return {
    holders, filled, tables: tables.map((table) => [...table]), lengths: [...lengths],
    status: [...status],
  };
}

/** Blocks held and shared, places written and empty in them, and requests that run. */
export function counted({ holders, filled, status }, size) {
  const held = holders.filter((its) => its.length);
  const written = filled.reduce((all, one) => all + one, 0);
  return {
    held: held.length, shared: held.filter((its) => its.length > 1).length, written,
    empty: held.length * size - written, running: status.filter((one) => one === "runs").length,
  };
}
