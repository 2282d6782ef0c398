@8-hostile-text-message-of-tags
