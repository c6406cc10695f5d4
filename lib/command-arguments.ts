import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/**
 * Parses the arguments of a command. An unknown argument prints the usage and exits with 2; `--help` prints the
 * description and exits with 0.
 * @param usage the synopsis on the first line, the description on the others
 */
export function parseArgumentsOrExit<Options extends ParseArgsOptionsConfig>(
  options: Options,
  usage: string,
) {
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
