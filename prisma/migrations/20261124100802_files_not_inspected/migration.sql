-- AlterTable
ALTER TABLE "related_files" ALTER COLUMN "clean_state" SET DEFAULT 'not_inspected';

-- Until now a file whose inspection failed was stored as not cleanable. Which of these were read to their end isn't
-- known of those that revealed nothing, nor of kinds of which everything that is read to its end can be cleaned.
UPDATE "related_files" SET "clean_state" = 'not_inspected', "reveals" = ARRAY['place', 'device', 'time', 'author']
WHERE "clean_state" = 'not_cleanable' AND (
  cardinality("reveals") = 0
  OR "mimetype" LIKE 'image/%'
  OR "mimetype" = 'application/pdf'
  OR "mimetype" LIKE 'application/vnd.openxmlformats-officedocument.%'
  OR "mimetype" LIKE 'application/vnd.oasis.opendocument.%'
);

-- Files that came with a report that names nobody lose the names they were given, there and in its history. Those that
-- were added later have an entry that says so: they are the team's.
CREATE TEMPORARY TABLE "neutral_names" ON COMMIT DROP AS
SELECT f."id", k."noun" || '-' || row_number() OVER (PARTITION BY f."incident_id" ORDER BY f."created_at", f."id")
  || CASE WHEN k."extension" IS NULL THEN '' ELSE '.' || k."extension" END AS "name"
FROM "related_files" f
JOIN "incidents" i ON i."id" = f."incident_id" AND i."reporter_id" IS NULL
CROSS JOIN LATERAL (
  SELECT
    CASE split_part(f."mimetype", '/', 1)
      WHEN 'image' THEN 'photo' WHEN 'audio' THEN 'recording' WHEN 'video' THEN 'video'
      WHEN 'application' THEN 'document' WHEN 'text' THEN 'document' ELSE 'file'
    END AS "noun",
    CASE f."mimetype"
      WHEN 'image/png' THEN 'png' WHEN 'image/jpeg' THEN 'jpg' WHEN 'image/webp' THEN 'webp'
      WHEN 'image/gif' THEN 'gif' WHEN 'image/heic' THEN 'heic' WHEN 'image/heif' THEN 'heif'
      WHEN 'image/avif' THEN 'avif' WHEN 'image/tiff' THEN 'tiff' WHEN 'image/bmp' THEN 'bmp'
      WHEN 'application/pdf' THEN 'pdf' WHEN 'application/rtf' THEN 'rtf' WHEN 'application/msword' THEN 'doc'
      WHEN 'application/vnd.ms-excel' THEN 'xls' WHEN 'application/vnd.ms-powerpoint' THEN 'ppt'
      WHEN 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' THEN 'docx'
      WHEN 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' THEN 'xlsx'
      WHEN 'application/vnd.openxmlformats-officedocument.presentationml.presentation' THEN 'pptx'
      WHEN 'application/vnd.oasis.opendocument.text' THEN 'odt'
      WHEN 'application/vnd.oasis.opendocument.spreadsheet' THEN 'ods'
      WHEN 'application/vnd.oasis.opendocument.presentation' THEN 'odp'
      WHEN 'audio/mpeg' THEN 'mp3' WHEN 'audio/mp4' THEN 'm4a' WHEN 'audio/aac' THEN 'aac'
      WHEN 'audio/amr' THEN 'amr' WHEN 'audio/ogg' THEN 'ogg' WHEN 'audio/wav' THEN 'wav'
      WHEN 'audio/flac' THEN 'flac' WHEN 'video/mp4' THEN 'mp4' WHEN 'video/x-m4v' THEN 'm4v'
      WHEN 'video/quicktime' THEN 'mov' WHEN 'video/webm' THEN 'webm' WHEN 'video/x-matroska' THEN 'mkv'
      WHEN 'video/ogg' THEN 'ogv' WHEN 'video/3gpp' THEN '3gp' WHEN 'video/3gpp2' THEN '3g2'
      WHEN 'text/plain' THEN 'txt'
    END AS "extension"
) k
WHERE f."uploaded_by_id" IS NULL AND NOT EXISTS (
  SELECT 1 FROM "incident_history" h
  WHERE h."incident_id" = f."incident_id" AND h."object_id" = f."id" AND h."action" = 'file.added'
);

UPDATE "related_files" f SET "filename" = n."name" FROM "neutral_names" n WHERE n."id" = f."id";

UPDATE "incident_history" h SET "to_value" = coalesce((SELECT n."name" FROM "neutral_names" n WHERE n."id" = h."object_id"), 'file')
FROM "incidents" i
WHERE i."id" = h."incident_id" AND i."reporter_id" IS NULL AND h."action" IN ('file.changed', 'file.deleted', 'file.original')
AND NOT EXISTS (
  SELECT 1 FROM "incident_history" a
  WHERE a."incident_id" = h."incident_id" AND a."object_id" = h."object_id" AND a."action" = 'file.added'
);
