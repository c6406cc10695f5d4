import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/**
 * What a command was given. A word that it doesn't know ends it with how it is called (2), and `--help` with what it
 * does (0).
 * @param usage how it is called, and in further lines what that does
 */
export function readArguments<Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  const help = { help: { type: "boolean", short: "h", default: false } } as const;
  try {
    const { values } = parseArgs({ options: { ...options, ...help }, strict: true, allowPositionals: false });
    if (!(values as { help?: boolean }).help) return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
  console.log(usage);
  process.exit(0);
}
