// Reads {patterns, texts} from standard input; prints for every text the patterns that match, with what they capture.
import { readFileSync } from "node:fs";

const { patterns, texts } = JSON.parse(readFileSync(0, "utf8"));
const compiled = patterns.map((source) => new RegExp(source.replaceAll("(?P<", "(?<"), "u"));
const found = texts.map((text) =>
  compiled.map((regex) => {
    const match = regex.exec(text);
    return match && [match[0], { ...match.groups }];
  }),
);
console.log(JSON.stringify(found));
