import { type Ref, useId } from "react";
import { followPageQuickExit } from "#components/shell/follow-quick-exit.ts";
import { buildButtonClass } from "#components/ui/button-class.ts";

export type LockedCoverTexts = { title: string; text: string; open: string; leave?: string };

type Props = { ref: Ref<HTMLDialogElement>; path: string; texts: LockedCoverTexts };

/** Covers a mailbox or letterbox that isn't open anymore on this device, and leads to its words in another tab. */
export function LockedCover({ ref, path, texts: { title, text, open, leave } }: Props) {
  const heading = useId();
  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      data-cover=""
      className="w-[min(30rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface text-start backdrop:!bg-paper"
    >
      <div className="grid gap-4 p-4 sm:p-6">
        <h2 id={heading} className="text-xl">
          {title}
        </h2>
        <p>{text}</p>
        <div className="flex flex-wrap gap-3">
          <a href={path} target="_blank" rel="noopener" className={buildButtonClass("primary")}>
            {open}
          </a>
          {leave !== undefined && (
            <a href="/leave" className={buildButtonClass("danger")} onClick={followPageQuickExit}>
              {leave}
            </a>
          )}
        </div>
      </div>
    </dialog>
  );
}
