import assert from "node:assert/strict";
import { test } from "node:test";

import { glossOf, glossed } from "../../book/_static/js/files/gloss.js";
import {
  readSentence, readText, targetSentence, targetWords, wordTokens,
} from "../../book/_static/js/files/tokens.js";
import { MARKS, mask, restored, spaced } from "../../book/_static/js/files/placeholders.js";
import { readVocabularies } from "../../book/_static/js/files/vocabulary.js";
import { edits, nearest } from "../../book/_static/js/translator/nearest.js";
import { numbers } from "./numbers.mjs";

const { vocabulary, english, texts, slips, chinese } = numbers("sentences");
const { source, target } = readVocabularies(JSON.stringify(vocabulary));

test("the grammar's sentences are cut and numbered as in Python", () => {
  for (const { text, tokens, ids } of english) {
    assert.deepEqual(wordTokens(text), tokens);
    assert.deepEqual(readSentence(text, source), { tokens, ids });
  }
});

test("other texts are cut as NLTK cuts them", () => {
  for (const { text, tokens } of texts) assert.deepEqual(wordTokens(text), tokens, text);
});

test("words are cut into the subwords that Python cuts them into", () => {
  const { merges, pieces, cut } = numbers("subwords");
  const known = readVocabularies(JSON.stringify({ ...vocabulary, source: pieces, merges }));
  for (const { text, words, ids } of cut) {
    assert.deepEqual(readText(text, known), { words, ids, texts: {} }, text);
  }
  assert.deepEqual(readText("  ", known), { words: [], ids: [], texts: {} });
});

test("numbers, names and addresses are the marks that Python has for them", () => {
  const { marks, known, cases } = numbers("placeholders");
  assert.deepEqual(MARKS, marks);
  for (const { text, words, texts } of cases)
    assert.deepEqual(mask(text, new Set(known)), { words, texts }, text);
});

test("a mark is one piece, with an id of its own in both languages, and comes back", () => {
  const { known } = numbers("placeholders");
  const { merges, pieces } = numbers("subwords");
  const withMarks = (tokens) => [...tokens.slice(0, 4), ...MARKS, ...tokens.slice(4)];
  const lists = { ...vocabulary, source: withMarks(pieces), target: withMarks(vocabulary.target) };
  const read = (more) => readVocabularies(JSON.stringify({ ...lists, merges, known, ...more }));
  const model = read({});
  const { words, ids, texts } = readText("The cat sat at 7:45.", model);
  assert.ok(words.some(([piece]) => piece === "<t1>") && ids.includes(4 + MARKS.indexOf("<t1>")));
  assert.deepEqual(texts, { "<t1>": "7:45" });
  assert.deepEqual(model.copied, MARKS.map((_, i) => 4 + i));
  assert.deepEqual(restored(["在", "<t1>", "<n1>"], texts), ["在", "7:45", "<n1>"]);
  assert.throws(() => read({ target: vocabulary.target }), /target has no marks for what is copied/);
  assert.throws(() => read({ known: 7 }), /known is no list of words/);
  assert.deepEqual(readVocabularies(JSON.stringify(vocabulary)).copied, []);
});

test("a space parts two copied texts that would run together, and nothing else", () => {
  const names = ["住", "Russell", "56", "?", "A", "B"];
  const written = (...ids) => spaced(ids, names, [1, 2, 3]).join("");
  assert.equal(written(0, 1, 2, 0, 2), "住Russell 56住56");
  assert.equal(written(1, 3, 2), "Russell?56"); // no letter or digit on one side
  assert.equal(written(4, 5, 1), "ABRussell"); // letters that the model wrote itself
});

test("however a sentence is typed, it is read as the corpus has it", () => {
  const tokens = ["The", "cat", "sat", "on", "the", "mat", "on", "Monday", "."];
  for (const text of [
    "The cat sat on the mat on Monday.", "the cat sat on the mat on monday",
    "  THE CAT  sat on The Mat\ton Monday .",
  ]) {
    assert.deepEqual(readSentence(text, source).tokens, tokens);
  }
  assert.deepEqual(readSentence("  ", source), { tokens: [], ids: [] });
});

test("an unknown word becomes UNK, and so does a mark that is typed", () => {
  const { tokens, ids } = readSentence("The catt sat on Frogs", source);
  assert.deepEqual(tokens, ["The", "catt", "sat", "on", "Frogs", "."]);
  assert.deepEqual(ids.map((id) => id === 1), [false, true, false, false, true, false]);
  assert.deepEqual(readSentence("<eos>", source).ids.slice(0, 3), [1, 1, 1]); // <, eos and >
  assert.deepEqual(source.ids(["<eos>"]), [1]);
});

test("the distance lies between NLTK's with and without transpositions", () => {
  for (const { word, to, bounds } of slips) {
    to.forEach((known, i) => {
      const [least, most] = bounds[i], found = edits(word, known);
      assert.ok(least <= found && found <= most, `${word} ${known}: ${found}`);
    });
  }
  assert.equal(edits("wnidow", "window"), 1);
  assert.equal(edits("ca", "abc"), 3); // c and a swapped and parted would be two edits of one place
});

test("the nearest is the first of the least, capitals aside", () => {
  assert.equal(nearest("MONDAY", ["Sunday", "Monday"]), "Monday");
  assert.equal(nearest("bogs", ["dogs", "fogs"]), "dogs");
  assert.equal(nearest("form", ["frame", "from"]), "from");
  assert.equal(nearest("1,5", ["dog"]), null);
});

test("a word is offered for a slip of it, and for nothing else", () => {
  const words = vocabulary.source.slice(4).filter((word) => word !== ".");
  for (const [typed, meant] of Object.entries({
    teh: "the", dgo: "dog", catt: "cat", rugg: "rug", rbabit: "rabbit", munday: "Monday",
    couhc: "couch", qietly: "quietly", "dry-claened": "dry-cleaned", umbrrela: "umbrella",
    pateintly: "patiently", comfrotabley: "comfortably", Sumday: "Sunday", sheeps: "sheep",
  })) assert.equal(nearest(typed, words), meant, typed);
  // Each of these had a word offered once that nobody meant.
  for (const typed of [
    "Paris", "not", "src=x", "Did", "sit", "Alice", "Barack", "Obama", "twelve", "hundred", "is",
    "raining", "I", "ca", "n't", "you", "wo", "'re", "'s", "we'd", "'ve", "zebra", "colour", "love",
    "Hello", "world", "xyzzy", "img", "/b", "b", "onerror=alert", "42", "🐈", "?", "for", "can",
    "你好", "his", "had", "elefox",
  ]) assert.equal(nearest(typed, words), null, typed);
});

test("Chinese characters are joined as in Python", () => {
  for (const { ids, words, text } of chinese) {
    assert.deepEqual(targetWords(ids, target), words);
    assert.equal(targetSentence(ids, target), text);
  }
});

test("the English of each word is that of Python, in right texts and in wrong ones", () => {
  const { gloss, texts: glossedTexts } = numbers("glosses");
  for (const { text, words } of glossedTexts) {
    let at = 0;
    const found = glossed([...text], gloss).map(({ length, english }) => {
      at += length;
      return [text.slice(at - length, at), english];
    });
    assert.deepEqual(found, words);
  }
  // A mark has no English, and ends a word.
  assert.deepEqual(glossed(["沙", "<eos>", "发"], gloss).map(({ english }) => english),
    ["(couch)", "", "(couch)"]);
  assert.equal(glossOf("沙", gloss), "(couch)");
});
