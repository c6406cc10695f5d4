import { ROLES } from "#e2e/api/roles.ts";
import type { Example, Row } from "#e2e/api/routes.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { TestWorld } from "#e2e/support/world.ts";

/**
 * Rows for reports without an account, and their mailboxes (contract 14). They identify nobody, whoever is signed in.
 */

const NEW_REPORT = { title: "Shouted at beside the stairs", description: "It happened an hour ago." };

type OpenedMailbox = { cookie: string; receipt: string };

/** A report without an account, and the cookie of its mailbox. */
async function openNewMailbox(world: TestWorld, form?: FormData): Promise<OpenedMailbox> {
  const client = world.service.visitor();
  const body = form ?? { ...NEW_REPORT, openMailbox: true };
  const path = `/api/events/slug/${world.event.slug}/anonymous-reports`;
  const { body: answer } = await client.post(path, body, { opensMailbox: true });
  return { cookie: client.mailbox ?? "", receipt: answer.receipt };
}

const withMailbox = async (world: TestWorld): Promise<Example> => ({
  cookie: (await openNewMailbox(world)).cookie,
});

const photo = async () => ({
  field: "relatedFiles",
  name: `${generateUniqueWord()}.jpg`,
  bytes: await createPhoto(),
  type: "image/jpeg",
});

async function withFile(world: TestWorld): Promise<Example> {
  const { cookie } = await openNewMailbox(
    world,
    buildForm({ ...NEW_REPORT, openMailbox: "true" }, await photo()),
  );
  const { body } = await world.service.visitor().get("/api/mailbox", { headers: { cookie } });
  return { cookie, params: { fileId: body.mailbox.files[0].id } };
}

export const MAILBOX_ROUTE_ROWS: Row[] = [
  {
    method: "POST",
    path: "/api/events/slug/:slug/anonymous-reports",
    who: ROLES,
    status: 201,
    body: "multipart",
    example: async () => ({ body: buildForm(NEW_REPORT) }),
  },
  { method: "GET", path: "/api/mailbox", who: ROLES, status: 200, example: withMailbox, opensMailbox: true },
  {
    method: "DELETE",
    path: "/api/mailbox",
    who: ROLES,
    status: 204,
    example: withMailbox,
    opensMailbox: true,
  },
  { method: "GET", path: "/api/mailbox/challenge", who: ROLES, status: 200 },
  {
    method: "POST",
    path: "/api/mailbox/session",
    who: ROLES,
    status: 204,
    body: "json",
    example: async (world) => ({ body: { words: (await openNewMailbox(world)).receipt } }),
  },
  { method: "DELETE", path: "/api/mailbox/session", who: ROLES, status: 204 },
  {
    method: "POST",
    path: "/api/mailbox/messages",
    who: ROLES,
    status: 204,
    body: "json",
    example: async (world) => ({ ...(await withMailbox(world)), body: { body: "One more thing." } }),
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/mailbox/files",
    who: ROLES,
    status: 204,
    body: "multipart",
    example: async (world) => ({ ...(await withMailbox(world)), body: buildForm({}, await photo()) }),
    opensMailbox: true,
  },
  {
    method: "GET",
    path: "/api/mailbox/files/:fileId/download",
    who: ROLES,
    status: 200,
    example: withFile,
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/mailbox/receipt/saved",
    who: ROLES,
    status: 204,
    example: withMailbox,
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/mailbox/receipt/confirmation",
    who: ROLES,
    status: 204,
    body: "json",
    example: async (world) => {
      const { cookie, receipt } = await openNewMailbox(world);
      const words = receipt.split(" ");
      return { cookie, body: { entered: { 1: words[0], 7: words[6] } } };
    },
    opensMailbox: true,
  },
  {
    method: "POST",
    path: "/api/mailbox/withdrawal",
    who: ROLES,
    status: 204,
    example: withMailbox,
    opensMailbox: true,
  },
];
