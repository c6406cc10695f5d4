#!/bin/sh
# What goes on around a report, over HTTP, with curl alone: the conversation, evidence, who has looked, notifications,
# tokens for programs, webhooks, handover, administration and the audit log.
#
#   BASE=http://localhost:3000 HEED_DATA_DIR=./data examples/around-an-incident.sh
#
# It goes on where examples/walkthrough.sh ended, with the same people on the same server.
. "$(dirname "$0")/ask.sh"

heading "The same people as before"
sign_in sam "$(password sam)"
sign_in olga "$(password olga)"
sign_in omar "$(password omar)"
sign_in maya "maya found another bridge"
ask 200 omar GET /api/auth/session
omar=$(first id)
ask 200 olga GET /api/auth/session
olga=$(first id)
ask 200 omar GET /api/events/slug/spring
event=$(first id)
organization=$(first organizationId)
say "Sam, Olga, Omar and Maya sign in."

heading "Maya reports once more, and they talk"
ask 201 maya POST /api/events/slug/spring/incidents '{"title":"It happened again at dinner","description":"The same guest, at the long table."}'
incident=$(first id)
report=/api/events/slug/spring/incidents/$incident
ask 201 omar POST "$report/comments" '{"body":"Third time. Who was at the table? @Olga Lindgren","visibility":"internal"}'
note=$(first id)
holds "Who was at the table?"
ask 201 omar POST "$report/comments" '{"body":"Thank you for telling us. We are on it.","visibility":"public"}'
ask 200 maya GET "$report/comments"
holds "We are on it."
holds '"total":1'
lacks "Third time"
ask 404 maya PATCH "$report/comments/$note" '{"body":"let me see"}'
say "Maya reads the message to her. The note of the team is not there for her, nor is it counted."
ask 201 maya POST "$report/comments" '{"body":"I can talk tomorrow."}'
holds '"visibility":"public"'
ask 200 omar PATCH "$report/comments/$note" '{"body":"Third time. Two witnesses."}'
ask 200 olga GET "$report/comments/$note/revisions"
holds "Who was at the table?"
say "An edited note keeps what it said before, for the team."

heading "Evidence comes later"
base64 -d >"$work/table.jpg" <<'JPEG'
/9j/4QFURXhpZgAASUkqAAgAAAAJAA8BAgAIAAAAkAAAABABAgAGAAAAigAAABIBAwABAAAAAQAAABoBBQABAAAAegAAABsB
BQABAAAAggAAACgBAwABAAAAAgAAABMCAwABAAAAAQAAAGmHBAABAAAAmAAAACWIBAABAAAA5gAAAAAAAAA4YwAA6AMAADhj
AADoAwAAUGhvbmUARXhhbXBsZQAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKg
BAABAAAAMAAAAAOgBAABAAAAIAAAAAAAAAAEAAEAAgACAAAATgAAAAIABQADAAAANAEAAAMAAgACAAAARQAAAAQABQADAAAA
HAEAAAAAAAANAAAAAQAAABgAAAABAAAAAAAAAAEAAAA0AAAAAQAAAB4AAAABAAAAAAAAAAEAAAD/2wBDABQODxIPDRQSEBIX
FRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZT
fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAgADADASIAAhEBAxEB/8QA
FQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAID/8QAFBEB
AAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AoAWwAAAAAAAAAAf/2Q==
JPEG
ask 201 maya POST "$report/related-files" --form "relatedFiles=@$work/table.jpg" --form "description=The long table"
file=$(first id)
holds '"place"'
holds '"clean":"cleaned"'
ask 200 omar GET "$report/related-files/$file/download"
if cmp -s "$work/body" "$work/table.jpg"; then stop "the copy still has what the photo tells of its place."; fi
say "Her photo tells where it was taken. The team works with a copy that doesn't."
ask 403 omar POST "$report/related-files/$file/original" '{"reason":"For the police"}'
ask 200 olga POST "$report/related-files/$file/original" '{"reason":"For the police, file number 7"}'
cmp -s "$work/body" "$work/table.jpg" || stop "the original came back changed."
say "Olga, an Admin, opens the sealed original, with a reason that is kept."
ask 206 omar GET "$report/related-files/$file/download" --header "Range: bytes=0-1"
ask 201 omar POST "$report/related-files" --form "relatedFiles=@$work/table.jpg" --form "description=From the camera at the door"
ask 200 maya GET "$report/related-files"
holds '"total":1'
ask 200 omar GET /api/events/slug/spring/evidence
holds '"quota"'

heading "One history, and who has looked"
ask 200 omar GET "$report/history?kind=files"
holds "file.added"
ask 200 olga GET "$report/access"
holds '"kind":"original"'
holds "file number 7"
ask 200 maya GET "$report/access"
holds '"readBy":2'
lacks "Omar"
say "The team sees every look, by name. Maya sees how many have read it, and on which day last."

heading "Everybody hears of what concerns them"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  ask 200 maya GET /api/users/me/notifications
  if grep -q message.created "$work/body"; then break; fi
  sleep 1
done
holds message.created
lacks "dinner"
ask 200 maya PATCH /api/users/me/notifications/read-all
ask 200 maya GET /api/users/me/notifications
holds '"unread":0'
ask 200 omar PUT /api/users/me/notification-settings '{"settings":[{"kind":"incident.created","inApp":true,"mail":"daily"}]}'
say "A notification says what kind of thing and where; never a title, a name or a text."

heading "Omar hands over"
ask 200 olga PATCH "$report/state" "{\"state\":\"investigating\",\"notes\":\"Omar asks around.\",\"assignedToUserId\":\"$omar\"}"
ask 200 olga GET "/api/events/slug/spring/users/$omar/holdings"
holds "$incident"
ask 200 olga POST "/api/events/slug/spring/users/$omar/handover" "{\"toUserId\":\"$olga\"}"
ask 200 olga GET "$report"
[ "$(first assignedResponderId)" = "$olga" ] || stop "the report is not Olga's now."
say "What he held is Olga's now."

heading "A program reads along"
ask 201 omar POST /api/users/me/tokens "{\"name\":\"Wall display\",\"scope\":\"read\",\"eventId\":\"$event\",\"expiresInDays\":3,\"currentPassword\":\"$(password omar)\"}"
token=$(first token)
ask 200 nobody GET "$report" --header "Authorization: Bearer $token"
ask 403 nobody PATCH "$report/title" '{"title":"Another title for it"}' --header "Authorization: Bearer $token"
holds TOKEN_SCOPE
ask 200 omar GET /api/users/me/tokens
lacks "$token"
say "A token for reading one event, for three days; shown once."
ask 400 olga POST "/api/organizations/$organization/webhooks" '{"url":"https://127.0.0.1/hook","kinds":["incident.created"]}'
say "A webhook into the private network is refused."

heading "Administration and audit"
ask 200 sam GET /api/admin/health
ask 200 sam GET /api/admin/stats
ask 200 olga GET "/api/organizations/$organization/audit?action=file."
holds "file.original"
lacks "file number 7"
ask 200 olga GET "/api/organizations/$organization/audit/verify"
holds '"ok":true'
say "Every deed is in the audit log, and the chain of its entries is whole."
ask 200 maya GET /api/users/me/export
holds "It happened again at dinner"
lacks "Two witnesses"
say "Maya takes her own data along. No word of the team is in it."

printf '\n  Done: the conversation, the evidence, and who did what.\n'
