import { beforeEach, describe, expect, test } from "vitest";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { readMails, waitForMails } from "#e2e/support/outbox.ts";
import { HOUR_MS, waitForPeriodWith } from "#e2e/support/period.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  SEVERITIES,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** What people are notified of, and what they are not (contract 11.1). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, nora, olga, omar, organization, rita, viktor } = world;

const KINDS = [
  "incident.created",
  "incident.urgent",
  "incident.waiting",
  "incident.state",
  "incident.assigned",
  "incident.escalated",
  "incident.critical",
  "message.created",
  "message.afterClosing",
  "incident.withdrawn",
  "message.fromParty",
  "incident.expiring",
  "incident.holdReview",
  "incident.emergency",
  "note.created",
  "file.added",
  "role.changed",
  "invite.changed",
  "event.withoutReader",
];
const PLACE_SHAPE = checkRecord({ id: checkUuid, name: checkText, slug: checkText });
const NOTIFICATION = checkRecord({
  id: checkUuid,
  kind: checkExactly(...KINDS),
  event: checkNullable(PLACE_SHAPE),
  organization: checkNullable(PLACE_SHAPE),
  incidentId: checkNullable(checkUuid),
  incident: checkNullable(
    checkRecord({ title: checkText, severity: checkNullable(checkExactly(...SEVERITIES)) }),
  ),
  count: checkNullable(checkCount),
  url: checkUrl,
  readAt: checkNullable(checkTime),
  createdAt: checkTime,
});

const PATH = "/api/users/me/notifications";
const list = async (person: TestPerson, query = "") => (await world.as(person).get(`${PATH}${query}`)).body;
/** Lists what somebody is notified of, without the events of other files on the same service that lost their last reader. */
const kindsOf = async (person: TestPerson): Promise<string[]> =>
  (await list(person)).notifications
    .map(({ kind }: { kind: string }) => kind)
    .filter((kind: string) => kind !== "event.withoutReader");

/** Waits until every event so far is dispatched, and every mail that is due is sent. */
const settled = () =>
  waitUntil(
    "nothing waits",
    async () => {
      const waiting = await heed.sql(
        `select 1 from outbox_events union all select 1 from notifications where mail_due <= now() union all
         select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier in ('mail.notification', 'mail.digest', 'queueDigests')`,
      );
      return waiting.length === 0;
    },
    90_000,
  );

/** Digests are due at full hours: none may be due during a test. */
const avoidEndOfHour = () => waitForPeriodWith(30_000, HOUR_MS);

/** As if the time had passed in which mails are gathered. */
const aMinuteLater = async () => {
  await settled();
  await heed.sql("update notifications set mail_due = now() where mail_due is not null");
  await settled();
};

beforeEach(async () => {
  await settled();
  await heed.sql("delete from notifications");
  await heed.sql("delete from notification_settings");
});

const comment = (who: TestPerson, incidentId: string, visibility: string, body = "A word.") =>
  world.as(who).post(`/api/events/${event.id}/incidents/${incidentId}/comments`, { visibility, body });

describe("people are notified", () => {
  test("of a report: the team, not who wrote it, and nobody else", async () => {
    const report = await world.report(maya, event);
    await settled();
    const body = await list(omar);
    expectShape(body, { notifications: checkList(NOTIFICATION), unread: checkCount, pagination: PAGINATION });
    expect(body.unread).toBe(1);
    expect(body.notifications).toMatchObject([
      {
        kind: "incident.created",
        event: { id: event.id, name: event.name, slug: event.slug },
        organization: { id: organization.id },
        incidentId: report.id,
        readAt: null,
      },
    ]);
    expect(body.notifications[0].url).toBe(`http://localhost:${heed.port}/e/${event.slug}/i/${report.id}`);
    expect(await kindsOf(ada)).toEqual(["incident.created"]);
    for (const person of [maya, rita, world.ines, olga, viktor, nora, world.berta, world.bruno, world.sam])
      expect(await kindsOf(person), person.name).toEqual([]);
  });
});

describe("a list", () => {
  const three = async () => {
    for (let made = 0; made < 3; made += 1) await world.report(maya, event);
    await settled();
    return (await list(omar)).notifications as { id: string; createdAt: string }[];
  };

  test("is one's own, newest first, paged and filtered", async () => {
    const all = await three();
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    const [newest, , oldest] = all;
    const paged = await list(omar, "?limit=2&page=2");
    expect(paged.notifications.map(({ id }: { id: string }) => id)).toEqual([oldest?.id]);
    expect(paged.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    const read = await world.as(omar).patch(`${PATH}/${newest?.id}/read`);
    expectShape(read.body, { notification: NOTIFICATION, unread: checkCount });
    expect(read.body.notification.readAt).not.toBeNull();
    expect(read.body.unread).toBe(2);
    const again = await world.as(omar).patch(`${PATH}/${newest?.id}/read`);
    expect(again.body).toEqual(read.body);
    const unread = await list(omar, "?unread=true");
    expect([unread.notifications.length, unread.pagination.total, unread.unread]).toEqual([2, 2, 2]);
    expect((await list(omar, "?unread=false")).notifications).toEqual([read.body.notification]);
    expect((await list(ada)).unread).toBe(3);
  });

  test("is read by opening its incident, for that person and incident alone", async () => {
    const [report, other] = [await world.report(maya, event), await world.report(maya, event)];
    await settled();
    const readOf = async (person: TestPerson) =>
      Object.fromEntries(
        (await list(person)).notifications.map(
          ({ incidentId, readAt }: { incidentId: string; readAt: string | null }) => [
            incidentId,
            readAt !== null,
          ],
        ),
      );
    expect(await readOf(omar)).toMatchObject({ [report.id]: false, [other.id]: false });
    await world.as(omar).get(`/api/events/${event.id}/incidents?limit=100`);
    expect(await readOf(omar)).toMatchObject({ [report.id]: false, [other.id]: false });
    expect((await world.as(omar).get(`/api/events/${event.id}/incidents/${report.id}`)).status).toBe(200);
    expect(await readOf(omar)).toMatchObject({ [report.id]: true, [other.id]: false });
    expect(await readOf(ada)).toMatchObject({ [report.id]: false, [other.id]: false });
  });

  test("is read at once, and emptied one by one", async () => {
    const [first] = await three();
    const all = await world.as(omar).patch(`${PATH}/read-all`);
    expectShape(all.body, { message: checkText, unread: checkCount });
    expect(all.body.unread).toBe(0);
    expect((await list(omar)).unread).toBe(0);
    expect((await list(ada)).unread).toBe(3);
    expect((await world.as(omar).delete(`${PATH}/${first?.id}`)).status).toBe(204);
    expect((await world.as(omar).delete(`${PATH}/${first?.id}`)).status).toBe(404);
    expect((await list(omar)).pagination.total).toBe(2);
  });

  test("is open to its owner only", async () => {
    const [first] = await three();
    for (const person of [ada, world.sam]) {
      expect((await world.as(person).patch(`${PATH}/${first?.id}/read`)).status).toBe(404);
      expect((await world.as(person).delete(`${PATH}/${first?.id}`)).status).toBe(404);
    }
    expect((await list(omar)).unread).toBe(3);
  });
});

describe("settings", () => {
  const SETTINGS = "/api/users/me/notification-settings";
  const shape = {
    settings: checkList(
      checkRecord({
        kind: checkExactly(...KINDS),
        inApp: checkBoolean,
        mail: checkExactly("off", "now", "hourly", "daily"),
      }),
    ),
  };
  const choose = (person: TestPerson, settings: unknown) => world.as(person).put(SETTINGS, { settings });

  test("name every kind, and keep what was chosen", async () => {
    const before = (await world.as(omar).get(SETTINGS)).body;
    expectShape(before, shape);
    expect(before.settings.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(KINDS.toSorted());
    const chosen = { kind: "incident.created", inApp: false, mail: "daily" };
    const after = await choose(omar, [chosen]);
    expectShape(after.body, shape);
    expect(after.body.settings).toContainEqual(chosen);
    expect((await world.as(omar).get(SETTINGS)).body).toEqual(after.body);
    expect((await world.as(ada).get(SETTINGS)).body).toEqual(before);
  });

  const good = { kind: "note.created", inApp: true, mail: "off" };
  test.each([[[{ ...good, kind: "incident.changed" }]], [[{ ...good, mail: "weekly" }]], [[good, good]]])(
    "refuse %j",
    async (settings) => {
      const reply = await choose(omar, settings);
      expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(await heed.rows("notification_settings")).toBe(0);
    },
  );
});

const SUBJECTS = ["You have an update", "Urgent: your attention is needed now"];

describe("mails", () => {
  const about = (person: TestPerson) =>
    readMails(heed).filter(({ to, subject }) => to === person.email && SUBJECTS.includes(subject));

  /** How many new reports these mails tell of. */
  const reportsIn = (sent: { text: string }[]): number =>
    sent
      .map(
        ({ text: said }) =>
          /: (\d+) (?:new|urgent) reports\./.exec(said)?.[1] ??
          (/a new report at|An urgent report/.test(said) ? 1 : 0),
      )
      .reduce((sum: number, reports) => sum + Number(reports), 0);

  test("come at once, say where and nothing more, and how to change it", async () => {
    const reader = await world.person("Reading Person", { events: [[event, "Responder"]] });
    const before = about(maya);
    const report = await world.report(maya, event);
    const [mail] = await waitForMails(heed, reader.email);
    expect(mail?.subject).toBe("You have an update");
    expect(mail?.text).toContain(`There’s a new report at ${event.name}`);
    expect(mail?.links).toContain(`http://localhost:${heed.port}/e/${event.slug}/i/${report.id}`);
    expect(mail?.links).toContain(`http://localhost:${heed.port}/notifications`);
    expect(mail?.text).toMatch(/choose what we email you about/);
    await aMinuteLater();
    expect(about(reader)).toHaveLength(1);
    expect(about(maya)).toEqual(before);
    await world.revoke(reader, event);
  });

  test("of what was read meanwhile are not sent", async () => {
    const reader = await world.person("Quick Reader", { events: [[event, "Responder"]] });
    await heed.sql(
      "insert into notification_settings (user_id, kind, in_app, mail) values ($1, 'note.created', true, 'now')",
      [reader.id],
    );
    const report = await world.report(maya, event);
    await aMinuteLater();
    expect(about(reader)).toHaveLength(1);
    await comment(omar, report.id, "internal", `@${reader.name} please look`);
    await settled();
    expect(await kindsOf(reader)).toContain("note.created");
    await world.as(reader).patch(`${PATH}/read-all`);
    await aMinuteLater();
    expect(about(reader)).toHaveLength(1);
    await world.revoke(reader, event);
  });

  test("are not written, at once or in a digest, while a second factor that an organization requires is missing", async () => {
    await avoidEndOfHour();
    const place = await world.newOrganization("Stricter Guild");
    const meeting = await world.newEvent(place, "Stricter Congress");
    const responder = (name: string) => world.person(name, { events: [[meeting, "Responder"]] });
    const without = await responder("Without Factor");
    const digested = await responder("Digested Person");
    const having = await responder("Having Factor");
    const reporter = await world.person("Reporting Person", { events: [[meeting, "Reporter"]] });
    for (const mail of ["hourly", "now"] as const)
      await world.as(mail === "now" ? without : digested).put("/api/users/me/notification-settings", {
        settings: [{ kind: "incident.created", inApp: true, mail }],
      });
    await insertSecondFactor(world, having);
    const before = await world.report(reporter, meeting);
    await heed.sql("update organizations set require_second_factor = true where id = $1", [place.id]);
    const after = await world.report(reporter, meeting);
    await waitForMails(heed, having.email);
    await aMinuteLater();
    await heed.sql(
      "update notifications set digest_due = now() - interval '1 minute' where digest_due is not null",
    );
    await heed.sql("select graphile_worker.add_job('queueDigests', '{}'::json)");
    await settled();
    expect(reportsIn(about(having))).toBe(2);
    for (const person of [without, digested]) {
      expect(about(person)).toEqual([]);
      expect(await list(person)).toMatchObject({ notifications: [], unread: 0 });
      for (const { id } of [before, after]) {
        const { status } = await world.as(person).get(`/api/events/${meeting.id}/incidents/${id}`);
        expect(status).toBe(403);
      }
    }
  });

  test("are not written to who lost the role meanwhile, nor to a disabled account", async () => {
    await avoidEndOfHour();
    const gone = await world.person("Gone Person", { events: [[event, "Responder"]] });
    const disabled = await world.person("Disabled Person", { events: [[event, "Responder"]] });
    for (const person of [gone, disabled])
      await world.as(person).put("/api/users/me/notification-settings", {
        settings: [{ kind: "incident.created", inApp: true, mail: "hourly" }],
      });
    await world.report(maya, event);
    await settled();
    expect(await heed.rows("notifications", "digest_due is not null")).toBe(2);
    await world.revoke(gone, event);
    await heed.sql("update users set disabled_at = now() where id = $1", [disabled.id]);
    await heed.sql(
      "update notifications set digest_due = now() - interval '1 minute' where digest_due is not null",
    );
    await heed.sql("select graphile_worker.add_job('queueDigests', '{}'::json)");
    await settled();
    expect(about(gone)).toEqual([]);
    expect(about(disabled)).toEqual([]);
    await world.report(maya, event);
    await settled();
    expect(await heed.rows("notifications", "user_id = $1", [disabled.id])).toBe(1);
  });
});

test("no word of a report, a message or a note is in a notification or a mail", async () => {
  const marker = "Marker-7781";
  const report = await world.report(maya, event, {
    title: `${marker} in a title`,
    description: marker,
    location: marker,
    parties: marker,
  });
  await world.move(report, "acknowledged", { notes: marker });
  await comment(omar, report.id, "internal", `@${ada.name} ${marker}`);
  await comment(ada, report.id, "internal", marker);
  await comment(omar, report.id, "public", marker);
  await comment(maya, report.id, "public", marker);
  await aMinuteLater();
  const notified = await heed.sql("select kind, incident_id, n::text as text from notifications n");
  // Jobs may notify people of other files, whose reports are overdue by now.
  const own = notified.filter(({ incident_id }) => incident_id === report.id);
  expect(new Set(own.map(({ kind }) => kind))).toEqual(
    new Set(["incident.created", "incident.state", "incident.assigned", "note.created", "message.created"]),
  );
  for (const { text: row } of notified) expect(row).not.toContain(marker);
  // The team reads the title of now with its list; the reporter, whose screen others may see, doesn't.
  expect(JSON.stringify(await list(maya))).not.toMatch(new RegExp(`${marker}|${maya.name}|${omar.name}`));
  for (const person of [omar, ada]) {
    const { notifications } = await list(person);
    expect(notifications[0].incident).toEqual({ title: `${marker} in a title`, severity: null });
    const others = JSON.stringify(notifications).replaceAll(`${marker} in a title`, "");
    expect(others).not.toMatch(new RegExp(`${marker}|${maya.name}|${omar.name}`));
  }
  await world.revoke(omar, event);
  expect(JSON.stringify(await list(omar))).not.toContain(marker);
  await world.grant(omar, event, "Responder");
  const sent = readMails(heed);
  expect(sent.filter(({ to }) => to === maya.email).length).toBeGreaterThan(0);
  for (const { subject, text: body } of sent) expect(subject + body).not.toContain(marker);
});
