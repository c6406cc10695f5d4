"use client";

import { type ChangeEvent, type DragEvent, type ReactNode, useRef, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { FileField, TextArea } from "#components/ui/field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { useOnDemand } from "#components/ui/on-demand.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { cameraIcon, xIcon } from "#lib/design/icons.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import type { WayOut } from "#lib/files/file-types.ts";

/** Sizes in bytes. */
export type ChosenFileLimits = { count: number; bytesEach: number; bytesTotal: number };

/** Keeps the files chosen so far; picking more adds to them. */
export function useChosenFiles() {
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const [lines, setLines] = useState<ReadonlyMap<File, string>>(new Map());
  const [, setSniffed] = useState(0);
  const addAll = (picked: readonly File[]) => {
    setChosen((before) => [
      ...before,
      ...picked.filter((file) => !before.some((other) => isSameFile(file, other))),
    ]);
    void Promise.all(picked.map(detectUnsupportedFile)).then(() => setSniffed((times) => times + 1));
  };
  return {
    chosen,
    addAll,
    /** Moves picked files from the picker to the list, and clears the picker. */
    add(input: HTMLInputElement) {
      addAll([...(input.files ?? [])]);
      input.value = "";
    },
    remove(file: File) {
      setChosen((before) => before.filter((other) => other !== file));
    },
    /** One-line description of a file; blank if none was entered. */
    lineOf: (file: File) => lines.get(file) ?? "",
    describe(file: File, line: string) {
      setLines((before) => new Map(before).set(file, line));
    },
  };
}

export type ChosenFilesState = ReturnType<typeof useChosenFiles>;

/** Files whose name or first bytes are of an unsupported type, and how to send them. */
const UNSUPPORTED_FILES = new WeakMap<File, WayOut>();

/** The type detection is loaded on demand, to keep the form's script small (docs/performance.md). */
async function detectUnsupportedFile(file: File): Promise<void> {
  try {
    const { findUnsupportedFileWayOut } = await import("./file-kinds.ts");
    const wayOut = await findUnsupportedFileWayOut(file);
    if (wayOut) UNSUPPORTED_FILES.set(file, wayOut);
  } catch {
    // The service checks the file again.
  }
}

const isSameFile = (a: File, b: File) =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

/**
 * Returns a function that describes what is wrong with the files before anything is sent; undefined if
 * nothing is.
 */
export function useFilesProblemFinder(
  limits: ChosenFileLimits,
): (files: readonly File[]) => string | undefined {
  const t = useTranslator("chosenFiles");
  return (files) => findFilesProblem(files, limits, t);
}

const MIB = 1024 * 1024;

function findFilesProblem(
  files: readonly File[],
  limits: ChosenFileLimits,
  t: Translator<"chosenFiles">,
): string | undefined {
  if (files.length > limits.count) return t("tooMany", { count: files.length, max: limits.count });
  const [first] = files.flatMap((file) => findFileProblem(file, limits, t) ?? []);
  if (first) return first;
  if (sumBytes(files) > limits.bytesTotal) return t("tooMuch", { size: limits.bytesTotal / MIB });
  return undefined;
}

/** Returns what is wrong with a single file. */
function findFileProblem(
  file: File,
  limits: ChosenFileLimits,
  t: Translator<"chosenFiles">,
): string | undefined {
  const { name, size } = file;
  const wayOut = UNSUPPORTED_FILES.get(file);
  if (wayOut) return t("wrongKind", { name, wayOut });
  if (size > limits.bytesEach) return t("tooLarge", { name, size: limits.bytesEach / MIB });
  return size === 0 ? t("empty", { name }) : undefined;
}

const sumBytes = (files: readonly File[]) => files.reduce((sum, { size }) => sum + size, 0);

type Props = {
  files: ChosenFilesState;
  limits: ChosenFileLimits;
  /** What the file dialog offers. */
  accept: string;
  /** Maximum length of a file's description, in characters. */
  descriptionMaxLength: number;
  /** Stays as the server sent it, since somebody is filling it in. */
  asOnePage: boolean;
};

/**
 * The field where files are picked, dropped or photographed, with the list of chosen ones. With script each file has
 * its own description; without script, and in a form that was posted without it, one description applies to all files.
 */
export function FilePicker({ files, limits, accept, descriptionMaxLength, asOnePage }: Props) {
  const t = useTranslator("chosenFiles");
  const together = Boolean(useFormContext().state.values?.fileDescriptions) || asOnePage;
  const hint = t("hint", {
    count: limits.count,
    each: limits.bytesEach / MIB,
    total: limits.bytesTotal / MIB,
  });
  return (
    <div className="grid gap-4">
      {together && <TextArea name="fileDescriptions" label={t("showAll")} hint={t("showAllHint")} rows={2} />}
      <DropArea files={files} asOnePage={asOnePage}>
        <FileField
          name="relatedFiles"
          label={t("label")}
          hint={hint}
          multiple
          accept={accept}
          button={asOnePage ? undefined : t("add")}
        />
        {!asOnePage && <CameraButton files={files} />}
      </DropArea>
      <ChosenFileList
        files={files}
        limits={limits}
        descriptionMaxLength={together ? undefined : descriptionMaxLength}
      />
    </div>
  );
}

type DropProps = Pick<Props, "files" | "asOnePage"> & { children: ReactNode };

function DropArea({ files, asOnePage, children }: DropProps) {
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  const t = useTranslator("chosenFiles");
  if (asOnePage) return children;
  const hover = (event: DragEvent) => {
    if (!event.dataTransfer.types.some((type) => /^files$/i.test(type))) return;
    event.preventDefault();
    setIsDraggedOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsDraggedOver(false);
    files.addAll([...event.dataTransfer.files]);
  };
  return (
    <div
      role="presentation"
      onDragOver={hover}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={drop}
      className={`grid gap-3 rounded-surface border-2 border-dashed p-4 ${isDraggedOver ? "border-accent bg-accent-soft" : "border-line"}`}
    >
      {children}
      <p className="text-sm text-muted pointer-coarse:hidden">{t("drop")}</p>
    </div>
  );
}

/** On phones and tablets, takes a photo that isn't saved to the photo album. */
function CameraButton({ files }: { files: ChosenFilesState }) {
  const t = useTranslator("chosenFiles");
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="hidden pointer-coarse:block">
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={(event: ChangeEvent<HTMLInputElement>) => files.add(event.target)}
      />
      <button
        type="button"
        className={buildButtonClass("secondary", "w-full")}
        onClick={() => input.current?.click()}
      >
        <IconWithoutScript of={cameraIcon} />
        {t("camera")}
      </button>
    </div>
  );
}

type ListProps = Pick<Props, "files" | "limits"> & {
  /** Omitted where files aren't described one by one. */ descriptionMaxLength?: number;
};

const loadFileDetails = () => import("./chosen-file-details.tsx");

/** The chosen files, each with its size, a summary of its hidden data, and a button to remove it. */
export function ChosenFileList({ files, limits, descriptionMaxLength }: ListProps) {
  const { chosen, remove } = files;
  const t = useTranslator("chosenFiles");
  const locale = useLocale();
  const refused = chosen.filter((file) => findFileProblem(file, limits, t)).length;
  const details = useOnDemand(loadFileDetails, chosen.length > 0, chosen);
  const problem = refused > 0 ? t("refused", { count: refused }) : findFilesProblem(chosen, limits, t);
  return (
    <div className="grid gap-2">
      {chosen.length > 0 && (
        <ul
          aria-label={t("chosen")}
          className="divide-y divide-line rounded-surface border border-line bg-surface"
        >
          {chosen.map((file) => (
            <ChosenFile
              key={`${file.name}-${file.size}-${file.lastModified}`}
              file={file}
              problem={findFileProblem(file, limits, t)}
              hiddenData={details && <details.HiddenDataText file={file} />}
              onRemove={() => remove(file)}
            >
              {details && descriptionMaxLength !== undefined && (
                <details.FileDescriptionField files={files} file={file} max={descriptionMaxLength} />
              )}
            </ChosenFile>
          ))}
        </ul>
      )}
      <p aria-live="polite" className={problem ? "font-[550] text-danger" : "text-sm text-muted"}>
        {chosen.length > 0 &&
          (problem ??
            t("together", { count: chosen.length, size: formatFileSize(sumBytes(chosen), locale) }))}
      </p>
    </div>
  );
}

type ChosenProps = {
  file: File;
  problem?: string;
  hiddenData: ReactNode;
  onRemove: () => void;
  children?: ReactNode;
};

function ChosenFile({ file, problem, hiddenData, onRemove, children }: ChosenProps) {
  const t = useTranslator("chosenFiles");
  const locale = useLocale();
  return (
    <li className="grid gap-1 py-1 ps-4 pe-1">
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 grow gap-0.5 py-2.5">
          <p className="flex flex-wrap justify-between gap-x-4">
            <span dir="auto" className="min-w-0">
              {file.name}
            </span>
            <span className="text-sm text-muted">{formatFileSize(file.size, locale)}</span>
          </p>
          {problem ? <p className="text-sm font-[550] text-danger">{problem}</p> : hiddenData}
        </div>
        <button
          type="button"
          aria-label={t("remove", { name: file.name })}
          className={buildButtonClass("quiet", "w-11 px-0")}
          onClick={onRemove}
        >
          <IconWithoutScript of={xIcon} />
        </button>
      </div>
      {children}
    </li>
  );
}
