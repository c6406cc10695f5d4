import clsx from "clsx";
import type { StaticImageData } from "next/image";
import type { TriageIconName } from "#lib/design/triage-icons.ts";
import triageIconFile from "./generated/triage-icons.svg";
import styles from "./triage-icon.module.css";

const { src } = triageIconFile as StaticImageData;

/**
 * An icon of the inbox, in the color of the text around it, or in `--icon`. A page has more than a hundred, so each is
 * a reference into one file, which the build writes (lib/build/triage-icon-sprite.ts).
 */
export function TriageIcon({ name, className }: { name: TriageIconName; className?: string }) {
  return (
    <svg aria-hidden="true" className={clsx(styles.icon, className)}>
      <use href={`${src}#${name}`} />
    </svg>
  );
}
