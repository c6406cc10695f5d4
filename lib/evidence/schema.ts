import { z } from "zod";
import {
  booleanText,
  changedText,
  limit,
  optionalText,
  page,
  Pagination,
  text,
} from "#lib/operation/fields.ts";
import { FILE_DESCRIPTION_MAX, RelatedFile } from "#lib/incidents/schema.ts";

/** Shapes of related files (contract 9.1). */

export const REASON_MAX = 500;

/** Beside the files, which come as `relatedFiles` or `relatedFiles[]`; it holds for all of them. */
export const NewFiles = z.object({
  description: optionalText(FILE_DESCRIPTION_MAX),
  /** Taken from the team only: what a reporter adds is always the reporter's to see. */
  visibleToReporter: booleanText.optional(),
});
export type NewFiles = z.output<typeof NewFiles>;

export const FileChange = z
  .object({ description: changedText(FILE_DESCRIPTION_MAX), visibleToReporter: z.boolean().optional() })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "give at least one of description, visibleToReporter",
  );
export type FileChange = z.output<typeof FileChange>;

/** Why somebody opens a sealed original. */
export const Opening = z.object({ reason: text(1, REASON_MAX) });

export const FileQuery = z.object({ page, limit: limit(100) });

export const OneFile = z.object({ relatedFile: RelatedFile });
export const AddedFiles = z.object({ relatedFiles: z.array(RelatedFile) });
export const FileList = z.object({ relatedFiles: z.array(RelatedFile), pagination: Pagination });

/** Bytes that an event's files take, sealed originals included, and how many bytes they may take. */
export const Usage = z.object({ usage: z.object({ bytes: z.int(), quota: z.int(), files: z.int() }) });
