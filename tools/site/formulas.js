// Set formulas: a line of JSON on standard input each, [TeX, displayed], and a line in answer,
// [HTML, MathML] or {"error": ...}. The first line answered is the style sheet of them all.
const [folder, macros] = process.argv.slice(2);

global.MathJax = {
  loader: {
    paths: { mathjax: folder },
    load: [
      "input/tex-base",
      "[tex]/ams",
      "[tex]/configmacros",
      "[tex]/html",
      "output/chtml",
      "adaptors/liteDOM",
    ],
    require,
  },
  tex: {
    packages: ["base", "ams", "configmacros", "html"],
    macros: JSON.parse(macros),
    formatError: (_, error) => {
      throw error;
    },
  },
  // The style names every character, so that it is the same whatever the pages hold.
  chtml: { fontURL: "mathjax/fonts", adaptiveCSS: false },
  startup: { typeset: false },
};

function typeset(line) {
  const [tex, display] = JSON.parse(line);
  try {
    const html = MathJax.startup.adaptor.outerHTML(MathJax.tex2chtml(tex, { display }));
    return [html, MathJax.tex2mml(tex, { display })];
  } catch (error) {
    return { error: error.message };
  }
}

require(`${folder}/startup.js`);
MathJax.startup.promise.then(() => {
  const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  answer(MathJax.startup.adaptor.textContent(MathJax.chtmlStylesheet()));
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => answer(typeset(line)));
});
