import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { incidentStateSchema } from "#lib/incidents/schema.ts";
import {
  emailInput,
  hasChange,
  idInput,
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  singleLineInput,
  timeOutput,
  timeTextOutput,
} from "#lib/operation/fields.ts";

/** Shapes of the people named in incidents (contract 7.22). */

export const PERSON_ROLES = ["reported", "harmed", "witness"] as const;

export const MAX_PERSON_NAME_LENGTH = 200;
const MAX_HANDLE_LENGTH = 100;
/** Handles of a person, and addresses. */
const MAX_HANDLES = 20;
export const MAX_PEOPLE_PER_INCIDENT = 50;

const uniqueList = (item: z.ZodType<string>) =>
  z
    .array(item)
    .transform((values) => [...new Set(values)])
    .refine(
      (values) => values.length <= MAX_HANDLES,
      encodeFieldProblem("mustBeAtMost", { max: MAX_HANDLES }),
    );

const role = z.enum(PERSON_ROLES);
const fields = {
  name: singleLineInput(MAX_PERSON_NAME_LENGTH),
  role,
  handles: uniqueList(singleLineInput(MAX_HANDLE_LENGTH)),
  addresses: uniqueList(emailInput),
};

export const NewPersonInput = z.object({
  ...fields,
  handles: fields.handles.default([]),
  addresses: fields.addresses.default([]),
});
export type NewPersonInput = z.output<typeof NewPersonInput>;

export const PersonChangeInput = z
  .object(fields)
  .partial()
  .refine(hasChange, encodeFieldProblem("needsChange"));
export type PersonChangeInput = z.output<typeof PersonChangeInput>;

/** The person with whom a record's person is one. */
export const PersonJoinInput = z.object({ personId: idInput });

/** A person by the name that the service gave them. */
const CodeNamedPerson = z.object({ personId: idOutput, codeName: z.string() });

/** Reports that name a person, of those that the reader reads. */
const ReportsOfPerson = z.object({
  count: z.int(),
  /** The newest ten. */
  newest: z.array(
    z.object({
      id: idOutput,
      title: z.string(),
      state: incidentStateSchema,
      createdAt: timeTextOutput,
      resolvedAt: timeTextOutput.nullable(),
      event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
    }),
  ),
});

export const IncidentPersonRecord = CodeNamedPerson.extend({
  id: idOutput,
  name: z.string(),
  role,
  handles: z.array(z.string()),
  addresses: z.array(z.string()),
  /** Whether the person is joined with people whom the reader knows from other reports. */
  joined: z.boolean(),
  /** Other reports that name the person, or somebody with the same name, handle or address. */
  otherReports: ReportsOfPerson.extend({
    /** How many of them came before this one. */
    earlier: z.int(),
  }),
  /** At most three people with the same name, handle or address who aren't joined with this one. */
  samePeople: z.array(CodeNamedPerson),
  createdAt: timeOutput,
  updatedAt: timeOutput,
});
export type IncidentPersonRecord = z.input<typeof IncidentPersonRecord>;

export const IncidentPersonList = z.object({ people: z.array(IncidentPersonRecord) });
export const IncidentPersonResponse = z.object({ person: IncidentPersonRecord });

export const PeopleQuery = z.object({
  /** Of one organization only. */
  organization: idInput.optional(),
  page: pageNumberQuery,
  limit: limitQuery(20),
});
export type PeopleQuery = z.output<typeof PeopleQuery>;

export const PersonInReports = CodeNamedPerson.extend({
  organization: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
  roles: z.array(role),
  reports: ReportsOfPerson,
});
export type PersonInReports = z.input<typeof PersonInReports>;

export const PeopleInReports = z.object({
  people: z.array(PersonInReports),
  /** The total counts no further than to the page after this one. */
  pagination: Pagination,
});

export const PersonNames = z.object({ names: z.array(z.string()) });
