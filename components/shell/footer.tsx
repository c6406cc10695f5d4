import clsx from "clsx";
import type { ReactNode } from "react";

type Props = {
  /** Class for the width of the page above. */
  column: string;
  /** Start of the line. */
  start: ReactNode;
};

/** The footer of every page. */
export function Footer({ column, start }: Props) {
  return (
    <footer className="no-print border-t border-line text-sm text-muted">
      <div
        className={clsx(
          "mx-auto flex w-full flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-5 sm:px-6",
          column,
        )}
      >
        {start}
      </div>
    </footer>
  );
}
