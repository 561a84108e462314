import assert from "node:assert/strict";
import { test } from "node:test";

import { isSeveral } from "../../../book/_static/js/widgets/real_translator/reading.js";

test("several sentences are told from one with a full stop inside", () => {
  for (const text of [
    "My dog is ill. My cat is fine.", "Is it? Yes.", "Stop! It hurts.", "So do I. You too.",
    "He is ill. “Who?” she asked.", "It is (I think) late.  (Go home.)", "He left at 5 p.m. She stayed. I too.",
  ]) assert.ok(isSeveral(text), text);
  for (const text of [
    "My dog is ill.", "I met Mr. Smith, Mrs. Jones and Dr. No.", "J. Smith is here.",
    "Well... I think so.", "Well… I think so.", "It costs 1.50 in St. Louis.",
    "At 5 p.m. Tom left the U.S. Army.", "“Who is it?” Tom asked.", "Is it me? ", "",
  ]) assert.ok(!isSeveral(text), text);
});
