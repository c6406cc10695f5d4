import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type ListMultipartUploadsCommandOutput,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { toStorageReadError, toStorageWriteError, createFileNotFoundError } from "./failures.ts";
import { assertStorageKey, isStorageKey } from "./keys.ts";
import type { ByteRange, FileStorage, StorageEntry, StoredFileStream } from "./storage.ts";

type Bucket = { client: S3Client; bucket: string; prefix: string };

/**
 * Stores files in an S3-compatible bucket, as `files/<uuid>`.
 * @param url `https://key:secret@host[:port]/bucket[/prefix]?region=eu-central-1`. Services that share a bucket each
 *   need a prefix: the sweeper removes files that its own database doesn't know.
 */
export function createS3Storage(url: string): FileStorage {
  const target = parseS3Url(url);
  return {
    put: (key, source, type) => putObject(target, { key, source, type }),
    open: (key, range) => openObject(target, key, range),
    remove: async (key) => {
      await target.client.send(new DeleteObjectCommand(buildObjectParams(target, key)));
    },
    list: () => listObjects(target),
    removePartialFiles: (before) => abortUploads(target, before),
    check: () => checkBucket(target, toStorageWriteError),
    checkReading: () => checkBucket(target, toStorageReadError),
  };
}

function parseS3Url(text: string): Bucket {
  const url = new URL(text);
  const [bucket = "", ...folders] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const client = new S3Client({
    endpoint: url.origin,
    region: url.searchParams.get("region") ?? "us-east-1",
    credentials: {
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
    },
    forcePathStyle: true,
    // People who upload wait for these requests, so the client gives up on an unresponsive server after two attempts of
    // five seconds.
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: 3000,
      socketTimeout: 5000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
    // Many S3-compatible servers don't support the checksum trailers that the client adds by default.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { client, bucket, prefix: [...folders, "files", ""].join("/") };
}

function buildObjectParams({ bucket, prefix }: Bucket, key: string): { Bucket: string; Key: string } {
  assertStorageKey(key);
  return { Bucket: bucket, Key: prefix + key };
}

async function putObject(target: Bucket, file: { key: string; source: string; type: string }): Promise<void> {
  const where = buildObjectParams(target, file.key);
  const body = createReadStream(file.source);
  try {
    // Uploads one part at a time: each part is buffered in memory (5 MiB), which makes retries possible.
    const params = { ...where, Body: body, ContentType: file.type };
    await new Upload({ client: target.client, params, queueSize: 1, leavePartsOnError: false }).done();
  } catch (error) {
    throw toStorageWriteError(error, "s3");
  } finally {
    body.destroy();
  }
}

async function openObject(target: Bucket, key: string, range?: ByteRange): Promise<StoredFileStream> {
  const where = buildObjectParams(target, key);
  const Range = range && `bytes=${range.start}-${range.end}`;
  try {
    const response = await target.client.send(new GetObjectCommand({ ...where, Range }));
    return {
      stream: response.Body as Readable,
      size: response.ContentLength ?? 0,
      version: `${response.ETag}-${response.LastModified?.getTime()}`,
    };
  } catch (error) {
    throw isMissing(error) ? createFileNotFoundError() : toStorageReadError(error, "s3");
  }
}

const isMissing = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound"].includes((error as { name?: string } | null)?.name ?? "");

async function* listObjects({ client, bucket, prefix }: Bucket): AsyncIterable<StorageEntry> {
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken }),
    );
    for (const { Key = "", LastModified, Size = 0 } of page.Contents ?? []) {
      const key = Key.slice(prefix.length);
      if (isStorageKey(key) && LastModified) yield { key, modified: LastModified, size: Size };
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken);
}

/** Aborts multipart uploads that nobody completes any more: their parts are in no list of objects. */
async function abortUploads({ client, bucket, prefix }: Bucket, before: Date): Promise<number> {
  let aborted = 0;
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }),
    );
    for (const { Key = "", UploadId, Initiated } of page.Uploads ?? []) {
      if (!isStorageKey(Key.slice(prefix.length)) || !Initiated || Initiated >= before) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      aborted += 1;
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    marker = IsTruncated && KeyMarker ? { KeyMarker, UploadIdMarker } : undefined;
  }
  return aborted;
}

async function checkBucket(
  { client, bucket }: Bucket,
  toError: (thrown: unknown, where: "s3") => Error,
): Promise<void> {
  await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
    throw toError(error, "s3");
  });
}
