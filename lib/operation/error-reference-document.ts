import { straightenApostrophes } from "#lib/i18n/error-text.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { listErrorReference, type ErrorReferenceEntry } from "./error-reference.ts";

const INTRO = `# Error codes

Every error of the API is JSON \`{ "error", "details", "code" }\` ([contract](contract.md) 3.3). Codes are stable; the texts of \`error\` and \`details\` may change. A running service shows this list at \`/reference/errors\`. The file is generated from the list of codes (\`lib/operation/error-reference.ts\`): change it there, and run \`npx vitest run --project unit lib/operation/error-reference.test.ts -u\`.
`;

/** Builds docs/errors.md. */
export function buildErrorReferenceMarkdown(): string {
  const statuses = Map.groupBy(listErrorReference(), ({ status }) => status);
  const sections = [...statuses].map(
    ([status, entries]) => `## ${status}\n\n${entries.map(describeEntry).join("\n")}`,
  );
  return [INTRO, ...sections].join("\n");
}

function describeEntry({ code, meaning, action, examples }: ErrorReferenceEntry): string {
  const advice = straightenApostrophes(createTranslatorForLocale("en", "reference")(`do.${action}`));
  const details = examples.map(({ details: text }) => `- \`${text}\`\n`).join("");
  return `### ${code}\n\n${meaning} ${advice}\n\n${details}`;
}
