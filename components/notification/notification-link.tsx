"use client";

import type { MouseEvent, ReactNode } from "react";
import { TextLink } from "#components/ui/link.tsx";
import { isPlainPress } from "#components/ui/plain-press.ts";

type Props = { id: string; href: string; unread: boolean; children: ReactNode };

/** Leads to what a notification is about. With script it is read then; without, there is a button for it. */
export function NotificationLink({ id, href, unread, children }: Props) {
  async function read(event: MouseEvent) {
    if (!unread || !isPlainPress(event)) return;
    event.preventDefault();
    // Where this fails, it stays unread, which loses nothing. The page is loaded anew for the count at its head.
    await fetch(`/api/users/me/notifications/${id}/read`, { method: "PATCH" }).catch(() => null);
    window.location.assign(href);
  }

  return (
    <TextLink href={href} onClick={(event) => void read(event)} className="inline-flex min-h-11 items-center">
      {children}
    </TextLink>
  );
}
