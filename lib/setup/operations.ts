import { MessageResponse } from "#lib/accounts/schema.ts";
import { EventOutput } from "#lib/events/schema.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";
import { urlOutput } from "#lib/operation/fields.ts";
import { Organization } from "#lib/organizations/schema.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { EventSetupInput, OrganizationSetupInput } from "#lib/setup/schema.ts";
import * as setup from "#lib/setup/setup.ts";

/** Setting up an organization and its events, each in one step (contract 5.6). */

export const setUpOrganization = defineOperation({
  name: "setUpOrganization",
  summary: "Create an organization with its first event, and invite the people who read its reports",
  on: globalScope,
  can: "organization.create",
  input: OrganizationSetupInput,
  status: 201,
  location: ({ event }) => `/api/events/slug/${event.slug}`,
  once: "response",
  output: MessageResponse.extend({
    organization: Organization,
    event: EventOutput,
    /** The link for the first org_admin; null where whoever creates it manages it. */
    inviteLink: urlOutput.nullable(),
  }),
  errors: ["SLUG_TAKEN"],
  run: async (context, input) => ({
    message: "The organization and its event have been created.",
    ...(await setup.setUpOrganization(context, input)),
  }),
});

export const setUpEvent = defineOperation({
  name: "setUpEvent",
  summary: "Create an event with all that it needs to open, afresh or as a copy of an earlier one",
  on: organizationScope,
  can: "organization.createEvent",
  input: EventSetupInput,
  status: 201,
  location: ({ event }) => `/api/events/slug/${event.slug}`,
  once: "response",
  output: MessageResponse.extend({ event: EventOutput }),
  errors: ["SLUG_TAKEN"],
  run: async (context, input) => ({
    message: "The event has been created.",
    event: await setup.setUpEvent(context, input),
  }),
});
