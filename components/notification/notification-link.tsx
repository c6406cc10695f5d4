"use client";

import type { MouseEvent, ReactNode } from "react";
import { TextLink } from "#components/ui/link.tsx";
import { isUnmodifiedPrimaryClick } from "#components/ui/unmodified-click.ts";

type Props = { id: string; href: string; unread: boolean; children: ReactNode };

/**
 * Links to what a notification is about. With script, pressing it marks the notification as read; without
 * script, a separate button does.
 */
export function NotificationTargetLink({ id, href, unread, children }: Props) {
  async function read(event: MouseEvent) {
    if (!unread || !isUnmodifiedPrimaryClick(event)) return;
    event.preventDefault();
    // On failure it just stays unread. A full page load updates the count in the header.
    await fetch(`/api/users/me/notifications/${id}/read`, { method: "PATCH" }).catch(() => null);
    window.location.assign(href);
  }

  return (
    <TextLink href={href} onClick={(event) => void read(event)} className="inline-flex min-h-11 items-center">
      {children}
    </TextLink>
  );
}
