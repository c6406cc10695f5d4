import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** What a command was given; a word that it doesn't know ends it with how it is called. */
export function readArguments<Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    return parseArgs({ options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}
