import { PASSWORD } from "./seed.ts";

/** Single requests to the service, outside of load measurements. */

/**
 * Signs in through the API and returns the Cookie header.
 * @throws Error when sign-in is refused
 */
export async function signIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, buildLoginRequest(email));
  await response.text();
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (!response.ok || !cookie) throw new Error(`Signing in as ${email} got status ${response.status}.`);
  return cookie;
}

export const buildLoginRequest = (email: string) => ({
  method: "POST" as const,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ email, password: PASSWORD }),
});

/**
 * Returns a successful response.
 * @throws Error with the response's content for any other
 */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new Error(
    `${response.url} responded with ${response.status}: ${(await response.text()).slice(0, 300)}`,
  );
}

/** Creates PNG files of the given size in bytes: a valid header, followed by filler that decoders ignore. */
export function createPictures(count: number, bytes: number): File[] {
  return Array.from(
    { length: count },
    (_, n) => new File([createPicture(bytes)], `photo-${n}.png`, { type: "image/png" }),
  );
}

const ONE_PIXEL_PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function createPicture(bytes: number): Buffer<ArrayBuffer> {
  const filled = Buffer.alloc(bytes, "filling ");
  ONE_PIXEL_PNG.copy(filled);
  return filled;
}

/** Encodes a report as multipart with its header, ready to be sent many times. */
export async function encodeMultipart(files: File[]): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(SAMPLE_REPORT)) form.append(name, value);
  for (const file of files) form.append("relatedFiles", file);
  const encoded = new Response(form);
  return { body: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get("content-type") ?? "" };
}

export const SAMPLE_REPORT = {
  title: "Somebody kept filming after being asked to stop",
  description:
    "During the afternoon break a person filmed our table with a phone. We asked twice to stop and to delete it. ".repeat(
      5,
    ),
  location: "Main hall, left side",
  contactMethod: "email",
  severity: "medium",
};
