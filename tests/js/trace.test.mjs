import assert from "node:assert/strict";
import { test } from "node:test";

import { transformer } from "../../book/_static/js/by_hand/transformer.js";
import { trace } from "../../book/_static/js/decode/trace.js";
import { Matrix, model, near, numbers } from "./numbers.mjs";

const NORMS = ["post", "pre"];
const SUB_LAYERS = {
  encoder: ["self_attention", "feed_forward"],
  decoder: ["self_attention", "cross_attention", "feed_forward"],
};

for (const norm of NORMS) {
  for (const share of ["all", "target", "none"]) {
    test(`without changes, ${norm}, sharing ${share}: the logits to the last bit`, () => {
      const { W, config } = model(`${norm}-${share}`);
      for (const { source, target } of numbers(`${norm}-${share}`)) {
        const seen = trace({ W, config }, source, target);
        const [logits, weights] = transformer(source, target, W, config);
        assert.deepEqual([...seen.logits.data], [...logits.data]);
        for (const [name, heads] of Object.entries(weights)) {
          assert.deepEqual(seen[`${name}.weights`].map((A) => [...A.data]),
            heads.map((A) => [...A.data]), name);
        }
      }
    });
  }

  const { source, target, cases } = numbers(`traces-${norm}`);
  const small = model(`${norm}-target`);
  for (const { changes, made } of cases) {
    test(`all that is made, ${norm}, ${JSON.stringify(changes)}: as PyTorch's`, () => {
      const seen = trace(small, source, target, changes);
      const silent = (changes.silenced ?? []).map(([name]) => `${name}.Z`);
      for (const [name, expected] of Object.entries(made)) {
        // What makes no difference there: it scales W_Q, and reads past a silenced head.
        if (changes.scale === false && name.endsWith(".Q")) continue;
        if (silent.includes(name)) continue;
        if (name.endsWith(".reads")) continue;
        near(seen[name], expected, 1e-10, name);
      }
      if (norm !== "post") return;
      for (const name of Object.keys(made).filter((one) => one.endsWith(".reads"))) {
        near(seen[name.replace(".reads", ".sum")], made[name], 1e-10, name);
      }
    });
  }

  test(`a layer's parts fit together, ${norm}`, () => {
    const seen = trace(small, source, target);
    let count = 0;
    for (const [stack, subs] of Object.entries(SUB_LAYERS)) {
      for (let i = 0; i < small.config.N; i++) {
        const layer = `${stack}.${i}`;
        let x = seen[`${layer}.input`];
        subs.forEach((sub, k) => {
          const about = `${layer}.add_and_norm_${k + 1}`;
          const sum = x.toLists().map((row, r) =>
            row.map((entry, c) => entry + seen[`${layer}.${sub}.output`].at(r, c)));
          near(seen[`${about}.sum`], sum, 0);
          x = norm === "pre" ? seen[`${about}.sum`] : seen[`${about}.normalised`];
          count += 1;
        });
        assert.deepEqual(x, seen[`${layer}.output`]);
      }
    }
    assert.equal(count, 10);
    for (const [name, made] of Object.entries(seen)) {
      for (const one of [made].flat()) assert.ok(one instanceof Matrix, name);
    }
  });
}

test("a silenced head hands on nothing, and still looks", () => {
  const { source, target } = numbers("traces-post");
  const small = model("post-target");
  const name = "decoder.0.cross_attention";
  const [silent, plain] = [{ silenced: [[name, 1]] }, {}].map((changes) =>
    trace(small, source, target, changes));
  assert.ok(silent[`${name}.Z`][1].data.every((z) => z === 0));
  assert.deepEqual(silent[`${name}.Z`][0], plain[`${name}.Z`][0]);
  assert.deepEqual(silent[`${name}.weights`], plain[`${name}.weights`]);
  assert.notDeepEqual(silent.logits, plain.logits);
});

test("padding is seen only where that is asked for", () => {
  const { source, target } = numbers("traces-post");
  const small = model("post-target");
  const padded = [...source, 0, 0];
  const plain = trace(small, padded, target);
  near(plain.logits, trace(small, source, target).logits.toLists(), 1e-12);
  assert.deepEqual(plain["encoder.0.self_attention.mask"].toLists()[0], [1, 1, 1, 1, 1, 0, 0]);
  const seen = trace(small, padded, target, { padding: false });
  assert.ok(seen["decoder.0.cross_attention.weights"][0].data.every((w) => w > 0));
  assert.notDeepEqual(seen.logits, plain.logits);
});

test("an id that the model does not have is refused", () => {
  assert.throws(() => trace(model("post-target"), [4, 99], [2]), /an id is 99/);
});
