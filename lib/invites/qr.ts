import QRCode from "qrcode";
import { z } from "zod";
import { operation } from "#lib/operation/operation.ts";
import { db } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { notFound } from "#lib/operation/errors.ts";
import { eventScope } from "#lib/events/scope.ts";
import { inviteLink } from "#lib/crypto/random-code.ts";
import { eventInviteScope } from "#lib/invites/scope.ts";

/** QR images for printing: of an invite to an event, and of the event's public page. Black on white. */

const QrQuery = z.object({ format: z.enum(["svg", "png"]).default("svg") });
const PRODUCES = ["image/svg+xml", "image/png"];

export const showInviteQr = operation({
  name: "showInviteQr",
  summary: "The link of an invite to an event as a QR image",
  on: eventInviteScope,
  can: "event.manageInvites",
  input: QrQuery,
  output: null,
  produces: PRODUCES,
  run: async ({ eventId, inviteId }, { format }) => {
    const found = await db.invite.findFirst({ where: { id: inviteId, eventId }, select: { code: true } });
    if (!found) throw notFound("This invite");
    return qrResponse(inviteLink(found.code), { format, name: "invite" });
  },
});

export const showEventQr = operation({
  name: "showEventQr",
  summary: "The link of an event's public page, where reports are sent, as a QR image",
  on: eventScope,
  can: "event.showQr",
  input: QrQuery,
  output: null,
  produces: PRODUCES,
  run: async ({ eventId }, { format }) => {
    const found = await db.event.findUnique({ where: { id: eventId }, select: { slug: true } });
    if (!found) throw notFound("This event");
    return qrResponse(`${env().baseUrl}/e/${found.slug}`, { format, name: "event" });
  },
});

type Wanted = { format: "svg" | "png"; name: string };

/** Pixels of a PNG: sharp on a printed page at the width of a hand. */
const PNG_WIDTH = 1024;
// A quarter of it may be torn or stained. The quiet border of four modules is what readers ask for.
const OPTIONS = { errorCorrectionLevel: "Q", margin: 4 } as const;

async function qrResponse(link: string, { format, name }: Wanted): Promise<Response> {
  const image =
    format === "svg"
      ? await QRCode.toString(link, { ...OPTIONS, type: "svg" })
      : new Uint8Array(await QRCode.toBuffer(link, { ...OPTIONS, type: "png", width: PNG_WIDTH }));
  return new Response(image, {
    headers: {
      "Content-Type": format === "svg" ? "image/svg+xml; charset=utf-8" : "image/png",
      "Content-Disposition": `inline; filename="heed-${name}.${format}"`,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cache-Control": "private, no-store",
      Vary: "Cookie",
    },
  });
}
