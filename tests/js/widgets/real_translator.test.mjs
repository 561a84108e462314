import assert from "node:assert/strict";
import { test } from "node:test";

import { foreign, leftOut, withoutEmoji } from "../../../book/_static/js/translator/foreign.js";
import { careOf, loops, neverSeen } from "../../../book/_static/js/widgets/real_translator/care.js";
import { isSeveral } from "../../../book/_static/js/widgets/real_translator/reading.js";
import { sureness } from "../../../book/_static/js/widgets/real_translator/sure.js";
import { WORDS } from "../../../book/_static/js/widgets/real_translator/words.js";

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

test("another script is told from English with a foreign word in it", () => {
  for (const [text, script] of Object.entries({
    "你好，你叫什么名字？": "Chinese", "OK, 你好吗": "Chinese", "こんにちは世界": "Japanese",
    "안녕하세요": "Korean", "Привет, как дела?": "Cyrillic", "Γειά σου": "Greek",
    "שלום": "Hebrew", "ሰላም ነው": "not Latin",
  })) assert.match(foreign(text), new RegExp(`written in .*${script}`), text);
  for (const text of ["", " ?!", "…"]) assert.match(foreign(text), /no word/);
  for (const text of ["I met 李明 at the station.", "Ça va à Paris?", "3 + 4", "Hi!"])
    assert.equal(foreign(text), "", text);
});

test("emoji are left out and named, digits and signs are not", () => {
  const family = "👨‍👩‍👧";
  for (const [text, left, emoji] of /** @type {Array<[string, string, string[]]>} */ ([
    ["I love you 😍🎉", "I love you", ["😍", "🎉"]], ["Hi😀there 😀!", "Hi there !", ["😀"]],
    [`My ${family} is here.`, "My is here.", [family]], ["👍🏽 ok", "ok", ["👍🏽"]],
    ["I ❤️ it", "I it", ["❤️"]], ["From 🇩🇪.", "From .", ["🇩🇪"]], ["👍👍👍", "", ["👍"]],
    ["1 #2 © 3™ *", "1 #2 © 3™ *", []], ["A — b…", "A — b…", []],
  ])) assert.deepEqual(withoutEmoji(text), { text: left, emoji }, text);
  assert.equal(leftOut([]), "");
  assert.match(leftOut([..."😍🎉😀😎"]), /^Left out: 😍 🎉 😀 and others\./);
});

test("what goes round is found, and a word said twice is not", () => {
  const found = (text) => loops([...text]).map(({ start, size, times }) => [start, size, times]);
  assert.deepEqual(found("绝对延延延延长"), [[2, 1, 4]]);
  assert.deepEqual(found("我的。我的。我的。我"), [[0, 3, 3]]);
  assert.deepEqual(found("她说延延延延，绝对绝对绝对。"), [[2, 1, 4], [7, 2, 3]]);
  for (const text of ["谢谢。", "哈哈哈！", "让我看看。", "等一等，等一等。", ""])
    assert.deepEqual(found(text), [], text);
});

test("how sure it was is the geometric mean of what the model chose itself", () => {
  const odds = [[0.1, 0.9], [0.2, 0.8], [0.75, 0.25]].map((p) => Float64Array.from(p));
  const { each, mean, least } = sureness([1, 0, 1], odds);
  assert.deepEqual([each, least], [[0.9, 0.2, 0.25], 1]);
  assert.ok(Math.abs(mean - (0.9 * 0.2 * 0.25) ** (1 / 3)) < 1e-12);
  const own = sureness([1, 0, 1], odds, 2); // the first two are the reader's
  assert.equal(own.least, 2);
  assert.ok(Math.abs(own.mean - 0.25) < 1e-12);
  assert.ok(Number.isNaN(sureness([1], odds, 1).mean));
});

test("it says what training had hardly, what is copied and what is lost", () => {
  const known = new Set(["the", "dog", "Tom", "sat", "a.m"]);
  const care = (text, target, texts = {}, marked = target) => {
    const words = text.split(" ").map((word) => word.split("|")
      .map((piece, i, all) => (i < all.length - 1 ? `${piece}@@` : piece)));
    return careOf({ words, texts, never: neverSeen(words, known) }, marked, target, WORDS);
  };
  assert.equal(care("THE dog sat . a.m. 's <n1>", ["狗"]), "");
  assert.equal(care("The d|og ha|tch ed", ["狗"]),
    "Take care: “hatch” and “ed” were never in the training; “dog” was in the training at most 17 "
    + "times.");
  assert.match(care("je ne sais Tom", ["狗"]), /: only 1 of its 4 words was in .*may not be English\.$/);
  assert.match(care("je ne sais", ["狗"]), /: none of its 3 words was in/);
  const texts = { "<n1>": "27", "<w1>": "Bo" };
  assert.equal(care("<n1> <w1>", ["27", "狗"], texts, ["<n1>", "狗"]),
    "Take care: “Bo” is missing in the translation; “27” is copied, not understood.");
  const three = { ...texts, "<n2>": "3" };
  assert.match(care("a.m", ["狗"], three, Object.keys(three)), /: 3 numbers or names are copied, and/);
  assert.equal(care(Array(18).fill("dog").join(" "), ["狗"]), "");
  assert.match(care(Array(19).fill("dog").join(" "), ["狗"]), /: it has 20 tokens, and 99 of 100 /);
  assert.match(care("dog", [..."狗狗狗狗"]), /round in a loop, “狗” 4 times\.$/);
});
