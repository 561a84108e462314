// Bundle the modules of widgets: node bundled_scripts.js ESBUILD STATIC, the folders of esbuild-wasm and of
// the site's static files. The answer on standard output is JSON, the bundles' texts by their names.
const fs = require("node:fs");
const path = require("node:path");

const [esbuildFolder, staticFolder] = process.argv.slice(2);
const esbuild = require(path.join(esbuildFolder, "lib", "main.js"));

// What several widgets need, in files of their own, so that a page asks for few and the next page has
// them already: a group is these modules with all they import, less the groups before it. Without
// groups esbuild would make a file of each set of modules that the same widgets need: 27 for the tour.
const GROUPS = [
  ["decode/seeded.js", "files/folder.js", "files/treebank.js", "translator/about.js"],
  ["kit/"],
  ["by_hand/"],
  ["files/gloss.js", "translator/ask_grammar.js", "translator/fields.js", "translator/odds.js",
    "translator/translation.js"],
];
const NOTE = "/*! Bundled from the modules in _static/js, whose licence is BSD 3-Clause. */";

const modules = fs.readdirSync(path.join(staticFolder, "js"), { recursive: true })
  .filter((name) => name.endsWith(".js")).map((name) => name.split(path.sep).join("/")).sort();

/** By the names of the files that pages ask for, the modules that they begin with. */
const entries = { book: "book.js" };
for (const name of modules) {
  // A worker's file stands beside its widget's, and each as deep as its module: both find by their own
  // addresses what they ask for.
  const found = /^(widgets\/)(?:\w+\/(?=worker\.js$))?(\w+)\.js$/.exec(name);
  if (found) entries[found[1] + found[2]] = name;
}

const options = {
  absWorkingDir: staticFolder, // so that no name in a bundle depends on where the book lies
  entryPoints: Object.entries(entries).map(([out, name]) => ({ in: `js/${name}`, out })),
  outdir: path.join(staticFolder, "live"),
  bundle: true, splitting: true, format: "esm", target: "es2022", write: false, logLevel: "silent",
  treeShaking: false, // a module is in its group, whether or not a widget uses all of it
};

/** The modules that a module imports when it is loaded, with itself. */
function closure(name, inputs, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path: other, kind } of inputs[`js/${name}`].imports)
    if (kind === "import-statement") closure(other.slice("js/".length), inputs, found);
  return found;
}

/** The groups, each a set of modules. */
function groupsOf(inputs) {
  const grouped = new Set();
  return GROUPS.map((begin) => {
    const own = new Set();
    for (const name of modules.filter((each) => begin.some((one) => each.startsWith(one))))
      for (const each of closure(name, inputs)) if (!grouped.has(each)) own.add(each);
    own.forEach((each) => grouped.add(each));
    return own;
  });
}

/** Where files begin, those that are asked for later too, with the groups of what they import. */
function wholeGroups({ inputs }) {
  const groups = groupsOf(inputs);
  const later = Object.values(inputs).flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === "dynamic-import").map((each) => each.path.slice("js/".length));
  return new Map([...Object.values(entries), ...later].map((name) => {
    const needed = closure(name, inputs);
    for (const group of [...groups].reverse())
      if ([...group].some((each) => needed.has(each)))
        for (const each of group) closure(each, inputs, needed);
    return [name, groups.filter((group) => [...group].some((each) => needed.has(each)))];
  }));
}

/** Has each of these modules import its groups. */
function importing(groups) {
  const folder = path.join(staticFolder, "js");
  return { name: "groups", setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const name = path.relative(folder, file).split(path.sep).join("/");
      const more = (groups.get(name) ?? []).flatMap((group) => [...group])
        .filter((each) => each !== name).sort();
      const from = (each) => JSON.stringify(path.posix.join(folder, each));
      // On the module's first line, so that a source map still counts its lines rightly.
      const first = more.map((each) => `import ${from(each)};`).join("");
      return { contents: first + fs.readFileSync(file, "utf-8"), loader: "js" };
    });
  } };
}

async function main() {
  const { metafile } = await esbuild.build({ ...options, metafile: true });
  const bundles = await esbuild.build({
    ...options, minify: true, chunkNames: "shared/[name]-[hash]", banner: { js: NOTE },
    sourcemap: "linked", sourcesContent: false, plugins: [importing(wholeGroups(metafile))],
  });
  const texts = bundles.outputFiles.map((file) =>
    [path.relative(options.outdir, file.path).split(path.sep).join("/"), file.text]);
  process.stdout.write(JSON.stringify(Object.fromEntries(texts.sort())));
}

main().catch((error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
});
