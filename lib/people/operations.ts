import { z } from "zod";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import { createContainerScope, defineOperation, globalScope } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";
import { joinPerson, splitPersonOfRecord } from "#lib/people/joining.ts";
import { showNamesOfPerson } from "#lib/people/names.ts";
import { addPerson, changePerson, removePerson } from "#lib/people/people.ts";
import {
  listPeopleInReports as listPeople,
  listPeopleOfIncident,
  loadPersonOfIncident,
} from "#lib/people/queries.ts";
import {
  IncidentPersonList,
  IncidentPersonResponse,
  NewPersonInput,
  PeopleInReports,
  PeopleQuery,
  PersonChangeInput,
  PersonJoinInput,
  PersonNames,
} from "#lib/people/schema.ts";
import { personRecordScope } from "#lib/people/scope.ts";

/** The people named in incidents (contract 7.22). */

export const listIncidentPeople = defineOperation({
  name: "listIncidentPeople",
  summary: "List the people named in an incident, and how many other reports name them; for the team",
  on: incidentWithoutContentScope,
  can: "person.read",
  output: IncidentPersonList,
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "view" });
    return { people: await listPeopleOfIncident(context) };
  },
});

export const addIncidentPerson = defineOperation({
  name: "addIncidentPerson",
  summary: "Name a person in an incident",
  on: incidentWithoutContentScope,
  can: "person.manage",
  input: NewPersonInput,
  output: IncidentPersonResponse,
  status: 201,
  errors: ["CONFLICT"],
  run: async (context, person) => ({ person: await addPerson(context, person) }),
});

export const changeIncidentPerson = defineOperation({
  name: "changeIncidentPerson",
  summary: "Change what an incident says of a person",
  on: personRecordScope,
  can: "person.manage",
  input: PersonChangeInput,
  output: IncidentPersonResponse,
  ifMatch: true,
  run: async (context, change) => ({ person: await changePerson(context, change) }),
});

export const removeIncidentPerson = defineOperation({
  name: "removeIncidentPerson",
  summary: "Remove a person from an incident",
  on: personRecordScope,
  can: "person.manage",
  output: z.undefined(),
  status: 204,
  ifMatch: true,
  run: async (context) => {
    await removePerson(context);
    return undefined;
  },
});

export const joinIncidentPerson = defineOperation({
  name: "joinIncidentPerson",
  summary: "Say that a person named in an incident is one with another whom you know from reports",
  on: personRecordScope,
  can: "person.manage",
  input: PersonJoinInput,
  output: IncidentPersonResponse,
  run: async (context, { personId }) => {
    await joinPerson(context, personId);
    return { person: await loadPersonOfIncident(context, context.record.id) };
  },
});

export const splitIncidentPerson = defineOperation({
  name: "splitIncidentPerson",
  summary: "Undo the joins of a person named in an incident: they and the others are as before",
  on: personRecordScope,
  can: "person.manage",
  output: IncidentPersonResponse,
  run: async (context) => {
    await splitPersonOfRecord(context);
    return { person: await loadPersonOfIncident(context, context.record.id) };
  },
});

export const listPeopleInReports = defineOperation({
  name: "listPeopleInReports",
  summary: "List the people named in the reports that you read as a team, by code names, newest first",
  on: globalScope,
  can: "person.find",
  input: PeopleQuery,
  output: PeopleInReports,
  incidentsByRole: () => ({ team: true }),
  run: async ({ actor }, query) => {
    const found = await listPeople(actor, query);
    const { page, limit } = query;
    const people = found.slice(0, limit);
    const total = (page - 1) * limit + found.length;
    return { people, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
  },
});

export const showPersonNames = defineOperation({
  name: "showPersonNames",
  summary: "Show the names of a person, as the reports that you read have them; the audit log records it",
  on: createContainerScope(async (params): Promise<PermissionSubject & { personId: string }> => ({
    personId: parsePathIdOrNilUuid(params.personId),
  })),
  can: "person.find",
  output: PersonNames,
  errors: ["NOT_FOUND"],
  incidentsByRole: () => ({ team: true }),
  run: async (context) => ({ names: await showNamesOfPerson(context, context.personId) }),
});
