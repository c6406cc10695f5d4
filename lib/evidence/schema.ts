import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  booleanQuery,
  textChangeInput,
  limitQuery,
  optionalTextInput,
  pageNumberQuery,
  Pagination,
  textInput,
} from "#lib/operation/fields.ts";
import { MAX_FILE_DESCRIPTION_LENGTH, RelatedFile } from "#lib/incidents/schema.ts";

/** Shapes of related files (contract 9.1). */

export const MAX_ORIGINAL_ACCESS_REASON_LENGTH = 500;

/** Sent with the files, which come as `relatedFiles` or `relatedFiles[]`; it applies to all of them. */
export const NewEvidenceFilesInput = z.object({
  description: optionalTextInput(MAX_FILE_DESCRIPTION_LENGTH),
  /** Only the team may set it: a reporter can always see what they added. */
  visibleToReporter: booleanQuery.optional(),
});
export type NewEvidenceFilesInput = z.output<typeof NewEvidenceFilesInput>;

export const EvidenceFileChangeInput = z
  .object({
    description: textChangeInput(MAX_FILE_DESCRIPTION_LENGTH),
    visibleToReporter: z.boolean().optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    encodeFieldProblem("needsOneOf", { fields: "description, visibleToReporter" }),
  );
export type EvidenceFileChangeInput = z.output<typeof EvidenceFileChangeInput>;

/** The reason for opening a sealed original. */
export const OriginalAccess = z.object({ reason: textInput(1, MAX_ORIGINAL_ACCESS_REASON_LENGTH) });

export const EvidenceFileListQuery = z.object({ page: pageNumberQuery, limit: limitQuery(100) });

export const EvidenceFileResponse = z.object({ relatedFile: RelatedFile });
export const AddedFilesResponse = z.object({ relatedFiles: z.array(RelatedFile) });
export const EvidenceFileList = z.object({ relatedFiles: z.array(RelatedFile), pagination: Pagination });

/** `bytes` includes sealed originals; `quota` is the limit in bytes. */
export const EventEvidenceStorageUsage = z.object({
  usage: z.object({ bytes: z.int(), quota: z.int(), files: z.int() }),
});
