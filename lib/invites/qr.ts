import QRCode from "qrcode";
import { z } from "zod";
import { prisma } from "#lib/database/client.ts";
import { buildReportFormUrl } from "#lib/events/go-live.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { buildInviteLink } from "#lib/crypto/random-code.ts";

/** QR images for printing, black on white: of an invite to an event, and of the event's report form. */

export const QrImageFormatQuery = z.object({ format: z.enum(["svg", "png"]).default("svg") });
export const QR_IMAGE_MEDIA_TYPES = ["image/svg+xml", "image/png"];

type Format = z.output<typeof QrImageFormatQuery>["format"];

/** Renders the QR image of an invite to an event. @throws AppError NOT_FOUND */
export async function createEventInviteQrResponse(
  { eventId, inviteId }: { eventId: string; inviteId: string },
  format: Format,
): Promise<Response> {
  const found = await prisma.invite.findFirst({ where: { id: inviteId, eventId }, select: { code: true } });
  if (!found) throw createNotFoundError("invite");
  return createQrResponse(buildInviteLink(found.code), { format, name: "invite" });
}

/** Renders the QR image of an event's report form. @throws AppError NOT_FOUND */
export async function createReportFormQrResponse(eventId: string, format: Format): Promise<Response> {
  const found = await prisma.event.findUnique({ where: { id: eventId }, select: { slug: true } });
  if (!found) throw createNotFoundError("event");
  return createQrResponse(buildReportFormUrl(found.slug), { format, name: "event" });
}

type QrImageOptions = { format: Format; name: string };

/** Width of a PNG in pixels: sharp when printed at the width of a hand. */
const PNG_WIDTH_PIXELS = 1024;
// Level Q tolerates damage to a quarter of the image. QR readers require a border of four modules.
const QR_OPTIONS = { errorCorrectionLevel: "Q", margin: 4 } as const;

async function createQrResponse(link: string, { format, name }: QrImageOptions): Promise<Response> {
  const image =
    format === "svg"
      ? await QRCode.toString(link, { ...QR_OPTIONS, type: "svg" })
      : new Uint8Array(await QRCode.toBuffer(link, { ...QR_OPTIONS, type: "png", width: PNG_WIDTH_PIXELS }));
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
