import clsx from "clsx";
import type { ReactNode } from "react";
import { Icon } from "#components/ui/icon.tsx";

type Props = {
  visibility: "internal" | "public";
  title: string;
  /** The people who will read the text. */
  readers: string;
  children: ReactNode;
};

/** The box around a composer, with the color and icon of its readers. */
export function CommentComposerFrame({ visibility, title, readers, children }: Props) {
  const style = BOX_STYLES[visibility];
  return (
    <section className={clsx("min-w-0 rounded-surface border-2 bg-surface", style.edge)}>
      <div className={clsx("flex gap-3 rounded-t-[0.625rem] px-4 py-3", style.head)}>
        <Icon as={style.icon} className={clsx("mt-0.5", style.ink)} />
        <div className="grid min-w-0 gap-0.5">
          <h3 className={clsx("font-[650]", style.ink)}>{title}</h3>
          <p className="text-sm wrap-anywhere">{readers}</p>
        </div>
      </div>
      <div className="p-4">{children}</div>
    </section>
  );
}

const BOX_STYLES = {
  internal: { icon: "lock", edge: "border-internal/50", head: "bg-internal-soft", ink: "text-internal" },
  public: { icon: "eye", edge: "border-public/50", head: "bg-public-soft", ink: "text-public" },
} as const;
