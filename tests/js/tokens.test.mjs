import assert from "node:assert/strict";
import { test } from "node:test";

import {
  editDistance, nearest, readSentence, targetSentence, targetWords, wordTokens,
} from "../../book/_static/js/files/tokens.js";
import { readVocabularies } from "../../book/_static/js/files/vocabulary.js";
import { numbers } from "./numbers.mjs";

const { vocabulary, english, texts, distances, chinese } = numbers("sentences");
const { source, target } = readVocabularies(JSON.stringify(vocabulary));

test("the grammar's sentences are cut and numbered as in Python", () => {
  for (const { text, tokens, ids } of english) {
    assert.deepEqual(wordTokens(text), tokens);
    assert.deepEqual(readSentence(text, source), { tokens, ids, unknown: [] });
  }
});

test("other texts are cut as NLTK cuts them", () => {
  for (const { text, tokens } of texts) assert.deepEqual(wordTokens(text), tokens, text);
});

test("however a sentence is typed, it is read as the corpus has it", () => {
  const tokens = ["The", "cat", "sat", "on", "the", "mat", "on", "Monday", "."];
  for (const text of [
    "The cat sat on the mat on Monday.", "the cat sat on the mat on monday",
    "  THE CAT  sat on The Mat\ton Monday .",
  ]) {
    assert.deepEqual(readSentence(text, source).tokens, tokens);
  }
  assert.deepEqual(readSentence("  ", source), { tokens: [], ids: [], unknown: [] });
});

test("an unknown word is said so, with its place and the nearest known one", () => {
  const { tokens, ids, unknown } = readSentence("The catt sat on Frogs <eos>", source);
  assert.deepEqual(tokens, ["The", "catt", "sat", "on", "Frogs", "<eos>", "."]);
  assert.deepEqual(ids.map((id) => id === 1), [false, true, false, false, true, true, false]);
  assert.deepEqual(unknown.slice(0, 2).map(({ index, word }) => [index, word]),
    [[1, "catt"], [4, "Frogs"]]);
  assert.equal(unknown[0].nearest, "cat");
});

test("the distance is NLTK's, and the nearest the first of the least", () => {
  for (const { word, to, edits } of distances) {
    assert.deepEqual(to.map((other) => editDistance(word, other)), edits);
    assert.equal(editDistance(nearest(word, to).toLowerCase(), word.toLowerCase()), Math.min(
      ...to.map((other) => editDistance(word.toLowerCase(), other.toLowerCase()))));
  }
  assert.equal(nearest("MONDAY", ["Sunday", "Monday"]), "Monday");
  assert.equal(nearest("bog", ["dog", "fog"]), "dog");
});

test("Chinese characters are joined as in Python", () => {
  for (const { ids, words, text } of chinese) {
    assert.deepEqual(targetWords(ids, target), words);
    assert.equal(targetSentence(ids, target), text);
  }
});
