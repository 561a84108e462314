import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { FileError } from "../../book/_static/js/files/errors.js";
import { loadModel } from "../../book/_static/js/files/load.js";
import { bytes, numbers, text } from "./numbers.mjs";

const WEIGHTS = new Uint8Array(bytes("learner.safetensors"));
const WORDS = text("vocabulary.json");
let [answers, asked, address] = [{}, [], ""];

const server = createServer((request, response) => {
  const [, folder, name] = request.url.split("/");
  asked.push(request.url);
  const answer = answers[folder]?.[name] ?? 404;
  if (typeof answer === "number") return response.writeHead(answer).end();
  if (typeof answer === "function") return answer(response);
  response.writeHead(200, { "content-length": Buffer.byteLength(answer) }).end(answer);
});
before(() => new Promise((resolve) => server.listen(0, "127.0.0.1", () => {
  address = `http://127.0.0.1:${server.address().port}`;
  resolve();
})));
after(() => {
  server.closeAllConnections();
  server.close();
});

const model = (folder, files, progress) => {
  answers[folder] = { "model.safetensors": WEIGHTS, "vocabulary.json": WORDS, ...files };
  return loadModel(progress, `${address}/${folder}/`);
};
const refused = (what) => (error) => error instanceof FileError && what.test(error.message);

test("it is loaded, once for the page, and says how far it is", async () => {
  const told = [];
  const loaded = await model("whole", {}, (...some) => told.push(some));
  assert.deepEqual(told.at(-1), [WEIGHTS.length, WEIGHTS.length]);
  assert.equal(loaded.config.d_model, 16);
  assert.deepEqual(loaded.source.tokens, numbers("vocabulary").source);
  const before = asked.length;
  assert.equal(await model("whole", {}), loaded);
  assert.equal(asked.length, before);
});

test("without a length the whole is not known", async () => {
  const told = [];
  const pieces = (response) => {
    response.write(WEIGHTS.subarray(0, 100));
    response.end(WEIGHTS.subarray(100));
  };
  await model("pieces", { "model.safetensors": pieces }, (...some) => told.push(some));
  assert.deepEqual(told.at(-1), [WEIGHTS.length, null]);
});

const all = numbers("vocabulary");
const fewer = { ...all, target: all.target.slice(0, -1) };
const WRONG = {
  missing: [{ "model.safetensors": 404 }, /no trained model: model.safetensors is missing/],
  wordless: [{ "vocabulary.json": 404 }, /no trained model: vocabulary.json is missing/],
  broken: [{ "model.safetensors": 500 }, /could not be fetched: model.safetensors .* 500/],
  cut: [{ "model.safetensors": WEIGHTS.subarray(0, 5000) }, /weights is damaged/],
  page: [{ "model.safetensors": "<html>Not here.</html>" }, /weights is damaged/],
  illegible: [{ "vocabulary.json": WORDS.slice(0, 30) }, /vocabularies is damaged/],
  other: [{ "vocabulary.json": JSON.stringify(fewer) }, /do not belong together/],
  dropped: [{ "model.safetensors": (response) => {
    response.writeHead(200, { "content-length": 9999 }).write("{");
    setTimeout(() => response.destroy(), 20);
  } }, /could not be fetched. Check the connection/],
};
for (const [name, [files, what]] of Object.entries(WRONG)) {
  test(`${name}: one sentence, and the next call tries again`, async () => {
    await assert.rejects(model(name, files), refused(what));
    assert.equal((await model(name, {})).config.N, 2);
  });
}

test("no server at all", async () => {
  await assert.rejects(loadModel(() => {}, "http://127.0.0.1:1/"), refused(/Check the connection/));
});
