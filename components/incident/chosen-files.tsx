"use client";

import { X } from "lucide-react";
import { useState } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { fileSize } from "./words.ts";

export type FileLimits = { count: number; bytesEach: number; bytesTotal: number };

/** The files that were chosen so far; picking more adds to them. */
export function useFiles() {
  const [chosen, setChosen] = useState<readonly File[]>([]);
  return {
    chosen,
    add(input: HTMLInputElement) {
      const picked = [...(input.files ?? [])];
      setChosen((before) => [
        ...before,
        ...picked.filter((file) => !before.some((other) => same(file, other))),
      ]);
      // The list below holds them now; the picker starts afresh, so that the same file can be chosen again.
      input.value = "";
    },
    remove(file: File) {
      setChosen((before) => before.filter((other) => other !== file));
    },
  };
}

const same = (a: File, b: File) =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

/** What is wrong with the files as they are, before anything is sent. */
export function problemOfFiles(files: readonly File[], limits: FileLimits): string | undefined {
  const tooLarge = files.find(({ size }) => size > limits.bytesEach);
  const empty = files.find(({ size }) => size === 0);
  if (files.length > limits.count)
    return `These are ${files.length} files; at most ${limits.count} can be sent.`;
  if (tooLarge)
    return `“${tooLarge.name}” is too large; a file can have ${limits.bytesEach / 1024 / 1024} MiB.`;
  if (empty) return `“${empty.name}” is empty.`;
  if (totalOf(files) > limits.bytesTotal)
    return `Together the files can have ${limits.bytesTotal / 1024 / 1024} MiB.`;
  return undefined;
}

const totalOf = (files: readonly File[]) => files.reduce((sum, { size }) => sum + size, 0);

type Props = { files: ReturnType<typeof useFiles>; limits: FileLimits };

/** The chosen files with their sizes, each to be taken out again. */
export function ChosenFiles({ files, limits }: Props) {
  const { chosen, remove } = files;
  const problem = problemOfFiles(chosen, limits);
  return (
    <div aria-live="polite" className="grid gap-2">
      {chosen.length > 0 && (
        <>
          <ul
            aria-label="Chosen files"
            className="divide-y divide-line rounded-surface border border-line bg-surface"
          >
            {chosen.map((file) => (
              <li
                key={`${file.name}-${file.size}-${file.lastModified}`}
                className="flex items-center gap-3 ps-4 pe-1"
              >
                <span className="min-w-0 grow break-all">{file.name}</span>
                <span className="shrink-0 text-sm text-muted">{fileSize(file.size)}</span>
                <button
                  type="button"
                  aria-label={`Take out ${file.name}`}
                  className={buttonClass("quiet", "w-11 px-0")}
                  onClick={() => remove(file)}
                >
                  <Icon as={X} />
                </button>
              </li>
            ))}
          </ul>
          <p className={problem ? "font-[550] text-danger" : "text-sm text-muted"}>
            {problem ?? `${fileSize(totalOf(chosen))} together`}
          </p>
        </>
      )}
    </div>
  );
}
