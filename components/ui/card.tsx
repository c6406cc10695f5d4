"use client";

import clsx from "clsx";
import type { ReactNode } from "react";

type Props = {
  /** A heading makes the card a named section. */
  title?: string;
  /** On the right of the title. */
  actions?: ReactNode;
  /** Id of the heading, for references from other parts of the page. */
  id?: string;
  /** False if the content has its own padding, as a table does. */
  padded?: boolean;
  className?: string;
  children: ReactNode;
};

/** A titled surface with a thin border. */
export function Card({ title, actions, id, padded = true, className, children }: Props) {
  return (
    <section className={clsx("card", className)}>
      {(title || actions) && (
        <div className={clsx("card-head", !padded && "pb-3")}>
          {title && (
            <h2 id={id} className={clsx("text-lg", id && "scroll-mt-40")}>
              {title}
            </h2>
          )}
          {actions && <div className="no-print flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      <div className={clsx(padded && "card-body")}>{children}</div>
    </section>
  );
}
