"use client";

import { createContext, type KeyboardEvent, type ReactNode, use, useEffect, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { Button, buildButtonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { isUnmodifiedPrimaryClick } from "#components/ui/unmodified-click.ts";
import { type EvidenceViewerFile, EvidencePreview } from "./evidence-preview.tsx";

/**
 * Shows the files of an incident one at a time in a dialog. A file is fetched only when it is shown, because
 * fetching is logged.
 */

const OpenFileContext = createContext<(id: string) => void>(() => {});

type Props = { files: readonly EvidenceViewerFile[]; children: ReactNode };

export function EvidenceViewer({ files, children }: Props) {
  const [at, setAt] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const place = files.findIndex(({ id }) => id === at);
  const shownFile = files[place];
  useEffect(() => {
    if (shownFile && !dialog.current?.open) dialog.current?.showModal();
    if (!shownFile && dialog.current?.open) dialog.current.close();
  }, [shownFile]);
  const go = (step: number) => setAt(files[(place + step + files.length) % files.length]?.id ?? null);
  return (
    <OpenFileContext value={setAt}>
      {children}
      <dialog
        ref={dialog}
        aria-label={shownFile?.filename}
        onClose={() => setAt(null)}
        onKeyDown={(event) => handleArrowKey(event, go)}
        className="w-[min(60rem,calc(100vw-1rem))] max-w-none rounded-surface border border-line bg-surface"
      >
        {shownFile && (
          <EvidenceSlide
            file={shownFile}
            place={place + 1}
            count={files.length}
            go={go}
            onClose={() => dialog.current?.close()}
          />
        )}
      </dialog>
    </OpenFileContext>
  );
}

/** Arrow keys move to the previous and next file, except inside a media player. */
function handleArrowKey(event: KeyboardEvent, go: (step: number) => void): void {
  if (event.target instanceof HTMLMediaElement) return;
  const forwards = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const backwards = forwards === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
  if (event.key === forwards) go(1);
  else if (event.key === backwards) go(-1);
}

type SlideProps = {
  file: EvidenceViewerFile;
  place: number;
  count: number;
  go: (step: number) => void;
  onClose: () => void;
};

function EvidenceSlide(props: SlideProps) {
  const t = useTranslator("incidentClient");
  const { file } = props;
  return (
    <div className="grid gap-3 p-4">
      <SlideHeader {...props} />
      <EvidencePreview key={file.id} file={file} />
      {file.description && (
        <p dir="auto" className="max-w-[68ch] wrap-anywhere">
          {file.description}
        </p>
      )}
      {file.hiddenData && <p className="max-w-[68ch] text-sm text-muted">{file.hiddenData}</p>}
      <SlideActions {...props} />
      <p className="text-sm text-muted">{t("openingIsLogged")}</p>
    </div>
  );
}

function SlideHeader({ file, place, count, onClose }: SlideProps) {
  const t = useTranslator("incidentClient");
  const ui = useTranslator("ui");
  return (
    <div className="flex items-start justify-between gap-3">
      <div aria-live="polite" className="grid min-w-0 gap-0.5">
        <h2 className="text-lg wrap-anywhere">
          <bdi>{file.filename}</bdi>
        </h2>
        <p className="text-sm text-muted">
          {t("fileOf", { place, count })} · {file.size}
        </p>
      </div>
      <button
        type="button"
        aria-label={ui("close")}
        className={buildButtonClass("quiet", "w-11 shrink-0 px-0")}
        onClick={onClose}
      >
        <Icon as="x" />
      </button>
    </div>
  );
}

function SlideActions({ file, count, go }: SlideProps) {
  const t = useTranslator("incidentClient");
  const ui = useTranslator("ui");
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <a href={file.href} download={file.filename} className={buildButtonClass()}>
        <Icon as="download" /> {t("download")}
      </a>
      {count > 1 && (
        <div className="flex gap-2">
          <Button onClick={() => go(-1)}>
            <Icon as="chevron-left" className="rtl:-scale-x-100" /> {ui("previous")}
          </Button>
          <Button onClick={() => go(1)}>
            {ui("next")} <Icon as="chevron-right" className="rtl:-scale-x-100" />
          </Button>
        </div>
      )}
    </div>
  );
}

type EvidenceLinkProps = {
  id: string;
  /** Address of the page with this file open, for browsers without script. */ href: string;
  label: string;
  children: ReactNode;
};

/** Opens the viewer at a file. */
export function EvidenceViewerLink({ id, href, label, children }: EvidenceLinkProps) {
  const open = use(OpenFileContext);
  return (
    <Link
      href={href}
      aria-label={label}
      className={buildButtonClass("quiet")}
      onClick={(event) => {
        if (!isUnmodifiedPrimaryClick(event)) return;
        event.preventDefault();
        open(id);
      }}
    >
      {children}
    </Link>
  );
}
