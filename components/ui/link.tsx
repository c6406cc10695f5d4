import clsx from "clsx";
import NextLink from "next/link";
import type { ComponentProps } from "react";

type Props = ComponentProps<typeof NextLink>;

/**
 * A link inside the service. It doesn't prefetch: pages are rendered for one person at one moment, and
 * opening a list must not view every incident in it.
 */
export function Link({ prefetch = false, ...rest }: Props) {
  return <NextLink prefetch={prefetch} {...rest} />;
}

/** A link in link style: accent color and underline. */
export function TextLink({ className, ...rest }: Props) {
  return <Link className={clsx("text-link", className)} {...rest} />;
}
