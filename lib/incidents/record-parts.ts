import { z } from "zod";
import { LOST_PARTS } from "#lib/files/cleaning/lost-parts.ts";
import { FILE_CLEANING_STATES, REVEALED_CATEGORIES } from "#lib/files/cleaning/reveals.ts";
import { emailAddressOutput, idOutput, timeTextOutput } from "#lib/operation/fields.ts";

/** The people and files in the record of an incident (contract 7.1). */

export const IncidentPerson = z.object({
  id: idOutput.describe("The account."),
  name: z.string().describe("The name that the account has now."),
  email: emailAddressOutput.nullable().describe("Null where the reader may not see it."),
});

export const IncidentReporter = IncidentPerson.extend({
  emailVerified: z
    .boolean()
    .describe("Whether the address of the account is confirmed; without it, anybody may have any name."),
});

/** A file of an incident in responses (contract 9.2). */
export const RelatedFile = z.object({
  id: idOutput.describe("The file."),
  filename: z.string().describe("The name of the download, whose ending is that of its type."),
  mimetype: z.string().describe("The media type of the download: a HEIC picture is a JPEG by then."),
  size: z.int().describe("The size of the download in bytes."),
  sha256: z.string().describe("The SHA-256 of the download, in hexadecimal digits."),
  original: z
    .object({ sha256: z.string(), size: z.int() })
    .nullable()
    .describe(
      "Size and SHA-256 of the sealed upload; null where the download is the upload itself, or no upload is kept.",
    ),
  createdAt: timeTextOutput.describe("When the file was added."),
  description: z.string().nullable().describe("What whoever added the file wrote about it."),
  reveals: z
    .array(z.enum(REVEALED_CATEGORIES))
    .describe("The categories of facts that the metadata of the upload reveals."),
  lost: z
    .array(z.enum(LOST_PARTS))
    .describe(
      "What the download leaves out beside metadata, since it is a copy of the main picture: the short video of a motion photo, further pictures.",
    ),
  clean: z
    .enum(FILE_CLEANING_STATES)
    .describe("Whether the download is free of metadata; `cleaned` means that it is a copy without it."),
  hasOriginal: z.boolean().describe("Whether the sealed original of the upload is stored."),
  uploadedBy: z
    .object({ id: idOutput, name: z.string() })
    .nullable()
    .optional()
    .describe(
      "For the team only; null if the account was deleted, or if the reporter of an anonymous report added the file.",
    ),
  fromUnnamedReporter: z
    .boolean()
    .optional()
    .describe(
      "For the team only: whether the reporter of an anonymous report added the file, with the report or from the mailbox.",
    ),
  visibleToReporter: z
    .boolean()
    .optional()
    .describe("For the team only: whether the reporter may see the file."),
});
export type RelatedFile = z.output<typeof RelatedFile>;
