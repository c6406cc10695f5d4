"use client";

import { useState } from "react";
import { useTranslator } from "#i18n";
import { Icon } from "#components/ui/icon.tsx";

/** A file as the viewer shows it. */
export type EvidenceViewerFile = {
  id: string;
  filename: string;
  mimetype: string;
  /** URL of the file; fetching it is recorded as opening the file. */
  href: string;
  size: string;
  description: string | null;
  /** Describes what the file's hidden data reveals. */
  hiddenData: string | null;
};

/** Preview of a file. A picture is blurred until it is pressed; nothing plays automatically. */
export function EvidencePreview({ file }: { file: EvidenceViewerFile }) {
  const kind = file.mimetype.split("/", 1)[0];
  if (kind === "image") return <BlurredPicture file={file} />;
  // Recordings come without captions; the description is shown next to them.
  if (kind === "audio")
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <audio controls preload="metadata" src={file.href} aria-label={file.filename} className="w-full" />
    );
  if (kind === "video")
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <video
        controls
        playsInline
        preload="none"
        src={file.href}
        aria-label={file.filename}
        className="max-h-[60dvh] w-full rounded-control bg-black"
      />
    );
  return <NoPreview file={file} />;
}

/** A checkbox around the picture, which works without script and is labeled with what it does. */
function BlurredPicture({ file }: { file: EvidenceViewerFile }) {
  const t = useTranslator("incidentClient");
  const [broken, setBroken] = useState(false);
  if (broken) return <NoPreview file={file} />;
  return (
    <label className="group/face relative grid cursor-pointer gap-2">
      <span className="flex min-h-11 items-center gap-3 font-[550]">
        <input type="checkbox" autoComplete="off" className="size-6" />
        {t("showPicture")}
      </span>
      <span className="relative block min-h-40 overflow-hidden rounded-control bg-sunken">
        <img
          src={file.href}
          alt={file.description ?? file.filename}
          decoding="async"
          onError={() => setBroken(true)}
          className="mx-auto max-h-[60dvh] max-w-full scale-110 object-contain blur-[2.5rem] transition-[filter,scale] duration-150 group-has-checked/face:scale-100 group-has-checked/face:blur-none"
        />
        <span aria-hidden className="absolute inset-0 grid place-items-center group-has-checked/face:hidden">
          <span className="inline-flex items-center gap-2 rounded-control border border-edge bg-surface px-3 py-2 font-[550]">
            <Icon as="eye-off" /> {t("blurred")}
          </span>
        </span>
      </span>
    </label>
  );
}

/** A file that can't be previewed is opened in another program. */
function NoPreview({ file }: { file: EvidenceViewerFile }) {
  const t = useTranslator("incidentClient");
  return (
    <div className="grid justify-items-center gap-2 rounded-control bg-sunken px-4 py-10 text-center">
      <Icon as="file-text" size={32} className="text-muted" />
      <p className="max-w-[48ch]">{t(file.mimetype === "application/pdf" ? "pdfElsewhere" : "elsewhere")}</p>
    </div>
  );
}
