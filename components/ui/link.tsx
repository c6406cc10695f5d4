import clsx from "clsx";
import NextLink from "next/link";
import type { ComponentProps } from "react";

type Props = ComponentProps<typeof NextLink>;

/**
 * A link inside the service. It fetches nothing before it is pressed: pages are made for one person at one
 * moment, and looking at a list must not read every record in it.
 */
export function Link({ prefetch = false, ...rest }: Props) {
  return <NextLink prefetch={prefetch} {...rest} />;
}

/** A link that looks like one: accent and underline. */
export function TextLink({ className, ...rest }: Props) {
  return <Link className={clsx("text-link", className)} {...rest} />;
}
