import assert from "node:assert/strict";
import { test } from "node:test";

import { COMMON, counted, requests, run } from "../../../book/_static/js/widgets/paged/load.js";

const SLOTS = 96;
const cases = [1, 2, 4, 8, 16].flatMap((size) => [false, true].flatMap((alike) =>
  [1, 5, 9].map((seed) => ({ size, alike, load: requests(seed, 12), slots: SLOTS }))));

test("a load is the same each time, and another with another seed", () => {
  assert.deepEqual(requests(3, 8), requests(3, 8));
  assert.notDeepEqual(requests(3, 8), requests(4, 8));
  assert.deepEqual(requests(3, 4), requests(3, 8).slice(0, 4));
  for (const { prompt, total } of requests(7, 12)) {
    assert.ok(prompt > COMMON && total > prompt && total <= 32);
  }
});

test("each text has blocks for its tokens, and whatever is not shared has one holder", () => {
  for (const { load, ...how } of cases) {
    for (const { tables, lengths, status, holders } of run(load, how)) {
      tables.forEach((table, r) => {
        const wanted = status[r] === "runs" ? Math.ceil(lengths[r] / how.size) : 0;
        assert.equal(table.length, wanted);
        table.forEach((block) => assert.ok(holders[block].includes(r)));
      });
      const held = tables.flat().length;
      assert.equal(holders.flat().length, held);
      for (const its of holders.filter((one) => one.length > 1)) {
        const block = holders.indexOf(its);
        assert.ok(how.alike);
        its.forEach((r) => {
          const part = tables[r].indexOf(block);
          assert.equal(part, tables[its[0]].indexOf(block));
          assert.ok((part + 1) * how.size <= COMMON); // a full block of the common beginning
        });
      }
    }
  }
});

test("all end with all their tokens, and then no block is held", () => {
  for (const { load, ...how } of cases) {
    const states = run(load, how);
    const last = states.at(-1);
    assert.deepEqual(last.lengths, load.map(({ total }) => total));
    assert.ok(last.status.every((one) => one === "ended"));
    assert.deepEqual(counted(last, how.size),
      { held: 0, shared: 0, written: 0, empty: 0, running: 0 });
    states.slice(1).forEach((now, step) => now.lengths.forEach((n, r) =>
      assert.ok(n - states[step].lengths[r] <= 1)));
  }
});

test("what is counted is what is there", () => {
  const load = requests(1, 8);
  for (const now of run(load, { slots: SLOTS, size: 4, alike: false })) {
    const tokens = now.lengths.filter((_, r) => now.status[r] === "runs");
    const { held, written, empty, running } = counted(now, 4);
    assert.equal(written, tokens.reduce((all, n) => all + n, 0));
    assert.equal(empty, tokens.reduce((all, n) => all + (4 - (n % 4)) % 4, 0));
    assert.deepEqual([running, held * 4], [tokens.length, written + empty]);
  }
});

test("blocks of one token leave nothing empty, and sharing holds fewer", () => {
  const load = requests(2, 12);
  const how = { slots: SLOTS, size: 1, alike: false };
  assert.ok(run(load, how).every((now) => counted(now, 1).empty === 0));
  const [apart, together] = [false, true].map((alike) => run(load, { ...how, size: 4, alike }));
  assert.ok(together.length < apart.length);
  assert.ok(together.some((now) => counted(now, 4).shared === COMMON / 4));
});

test("when no block is left the last that came gives way, and never the first", () => {
  const found = cases.flatMap(({ load, ...how }) => run(load, how).map(({ status }) => status));
  assert.ok(found.some((status) => status.includes("gave way")));
  for (const status of found) {
    const first = status.findIndex((one) => one === "gave way");
    const after = first < 0 ? [] : status.slice(first);
    assert.ok(!after.includes("runs"));
  }
});
