import assert from "node:assert/strict";
import { createSession } from "#lib/accounts/sessions.ts";
import { prisma } from "#lib/database/client.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";
import type { Client } from "./client.ts";
import type { SharedService } from "./service.ts";
import { generateUniqueWord } from "./unique.ts";

/**
 * The people, organizations and events of the tests. There are two organizations: data of the second must never appear
 * in the first. Accounts are inserted into the database, since bcrypt is slow; tests of sign-in use the API.
 */

export type TestPerson = { id: string; email: string; name: string };
export type PlaceRef = { id: string; slug: string; name: string };
export type EventRef = PlaceRef & { organizationId: string };

export type RoleAssignments = {
  systemAdmin?: boolean;
  organization?: [PlaceRef, OrganizationRole];
  events?: [EventRef, ...EventRole[]][];
};

/** Everybody's password. */
export const PASSWORD = "a quiet river at dawn";
export const PASSWORD_HASH = "$2b$04$wsieCDV2U8SPzzHlyx4jluzygr9YSWleVTS7huU4vmr0zb8OAt/Gy";

/** A report as a response returns it. */
export type ReportRecord = Record<string, any> & { id: string; updatedAt: string };

export class TestWorld {
  readonly service: SharedService;
  readonly #clients = new Map<string, Client>();
  /** A visitor without a session. */
  readonly nobody: Client;

  /** The first organization, its event with all roles, and a second event with a team of its own. */
  organization!: PlaceRef;
  event!: EventRef;
  otherEvent!: EventRef;
  /** Another tenant. */
  foreignOrganization!: PlaceRef;
  foreignEvent!: EventRef;

  /** SystemAdmin, without a role anywhere. */
  sam!: TestPerson;
  /** org_admin and org_viewer of the first organization, without an event role. */
  olga!: TestPerson;
  viktor!: TestPerson;
  /** Admin, Responder and two Reporters of the event; most tests use maya's reports. */
  ada!: TestPerson;
  omar!: TestPerson;
  maya!: TestPerson;
  rita!: TestPerson;
  /** Admin of the second event of the same organization. */
  ines!: TestPerson;
  /** Signed in, without any role. */
  nora!: TestPerson;
  /** org_admin, Responder and Reporter of the other tenant. */
  bruno!: TestPerson;
  berta!: TestPerson;
  boris!: TestPerson;

  private constructor(service: SharedService) {
    this.service = service;
    this.nobody = service.visitor();
  }

  static async build(service: SharedService): Promise<TestWorld> {
    const world = new TestWorld(service);
    await world.#places();
    await world.#people();
    return world;
  }

  /** Returns the client of a person, signed in. */
  as(person: TestPerson): Client {
    const client = this.#clients.get(person.id);
    assert.ok(client, `${person.name} has a client`);
    return client;
  }

  /** Creates a person with roles, signed in. */
  async person(name: string, roles: RoleAssignments = {}): Promise<TestPerson> {
    const email = `${name.toLowerCase().replaceAll(" ", ".")}.${generateUniqueWord()}@example.org`;
    const [row] = await this.service.sql<TestPerson>(
      `insert into users (email, name, password_hash, system_admin, email_verified_at)
       values ($1, $2, $3, $4, now()) returning id, email, name`,
      [email, name, PASSWORD_HASH, roles.systemAdmin ?? false],
    );
    const person = row as TestPerson;
    if (roles.organization) await this.join(person, ...roles.organization);
    for (const [event, ...names] of roles.events ?? []) await this.grant(person, event, ...names);
    await this.signIn(person);
    return person;
  }

  /** Creates a new session for a person; `as` returns its client from then on. */
  async signIn(person: TestPerson): Promise<Client> {
    const client = await this.device(person);
    this.#clients.set(person.id, client);
    return client;
  }

  /** Creates a client of the person with a separate session, like a second device. */
  async device(person: TestPerson): Promise<Client> {
    const { value } = await createSession(prisma, person.id, "test");
    return this.service.visitor(`${this.service.cookieName}=${value}`);
  }

  async join(person: TestPerson, organization: PlaceRef, role: OrganizationRole): Promise<void> {
    await this.service.sql(
      "insert into organization_members (organization_id, user_id, role) values ($1, $2, $3::organization_role)",
      [organization.id, person.id, role],
    );
  }

  async grant(person: TestPerson, event: EventRef, ...roles: EventRole[]): Promise<void> {
    await this.service.sql(
      "insert into event_roles (event_id, user_id, role_name, counts_from) select $1, $2, unnest($3::text[])::event_role_name, now()",
      [event.id, person.id, roles],
    );
  }

  /** Gives a person roles in an event that they haven't accepted. */
  async invite(person: TestPerson, event: EventRef, ...roles: EventRole[]): Promise<void> {
    await this.service.sql(
      `insert into event_roles (event_id, user_id, role_name, pending, invited_by_id)
       select $1, $2, unnest($3::text[])::event_role_name, true, (select id from users where system_admin limit 1)`,
      [event.id, person.id, roles],
    );
  }

  /** Revokes a person's roles in an event: the given ones, or all. */
  async revoke(person: TestPerson, event: EventRef, ...roles: EventRole[]): Promise<void> {
    await this.service.sql(
      "delete from event_roles where event_id = $1 and user_id = $2 and (cardinality($3::text[]) = 0 or role_name::text = any($3))",
      [event.id, person.id, roles],
    );
  }

  async newOrganization(name = "Another organization"): Promise<PlaceRef> {
    const [row] = await this.service.sql<PlaceRef>(
      "insert into organizations (name, slug) values ($1, $2) returning id, slug, name",
      [name, `org-${generateUniqueWord()}`],
    );
    return row as PlaceRef;
  }

  async newEvent(organization: PlaceRef, name = "Another event"): Promise<EventRef> {
    const [row] = await this.service.sql<EventRef>(
      `insert into events (organization_id, name, slug) values ($1, $2, $3)
       returning id, slug, name, organization_id as "organizationId"`,
      [organization.id, name, `event-${generateUniqueWord()}`],
    );
    return row as EventRef;
  }

  /** Files a report over the API, as JSON. */
  async report(
    person: TestPerson,
    event: EventRef,
    changes: Record<string, unknown> = {},
  ): Promise<ReportRecord> {
    const body = {
      title: "Shouting at the registration desk",
      description: "It went on for a while.",
      ...changes,
    };
    const {
      status,
      body: answer,
      text,
    } = await this.as(person).post(`/api/events/${event.id}/incidents`, body);
    assert.equal(status, 201, text);
    return answer.incident;
  }

  /** Moves a report to a state over the API. */
  async move(
    report: ReportRecord,
    state: string,
    changes: Record<string, unknown> = {},
  ): Promise<ReportRecord> {
    const body = { state, notes: "As agreed in the team.", assignedToUserId: this.omar.id, ...changes };
    const path = `/api/events/${report.eventId}/incidents/${report.id}/state`;
    const { status, body: answer, text } = await this.as(this.sam).patch(path, body);
    assert.equal(status, 200, text);
    return answer.incident;
  }

  async #places(): Promise<void> {
    this.organization = await this.newOrganization("Riverside Meetups");
    this.event = await this.newEvent(this.organization, "Riverside Spring Gathering");
    this.otherEvent = await this.newEvent(this.organization, "Riverside Autumn Gathering");
    this.foreignOrganization = await this.newOrganization("Hilltop Assembly");
    this.foreignEvent = await this.newEvent(this.foreignOrganization, "Hilltop Congress");
  }

  async #people(): Promise<void> {
    const { organization, event, otherEvent, foreignOrganization, foreignEvent } = this;
    this.sam = await this.person("Sam Adeyemi", { systemAdmin: true });
    // Registration does the same, so that a person who registers in a test doesn't become SystemAdmin.
    await this.service.sql(
      "insert into installation_metadata (key, value) values ('firstAdministrator', $1) on conflict do nothing",
      [this.sam.id],
    );
    this.olga = await this.person("Olga Petrenko", { organization: [organization, "org_admin"] });
    this.viktor = await this.person("Viktor Lindqvist", { organization: [organization, "org_viewer"] });
    this.ada = await this.person("Ada Nwosu", { events: [[event, "Admin"]] });
    this.omar = await this.person("Omar Haddad", { events: [[event, "Responder"]] });
    this.maya = await this.person("Maya Castillo", { events: [[event, "Reporter"]] });
    this.rita = await this.person("Rita Okafor", { events: [[event, "Reporter"]] });
    this.ines = await this.person("Ines Duarte", { events: [[otherEvent, "Admin"]] });
    this.nora = await this.person("Nora Winter");
    this.bruno = await this.person("Bruno Falk", { organization: [foreignOrganization, "org_admin"] });
    this.berta = await this.person("Berta Iversen", { events: [[foreignEvent, "Responder"]] });
    this.boris = await this.person("Boris Yilmaz", { events: [[foreignEvent, "Reporter"]] });
  }
}
