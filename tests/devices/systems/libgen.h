char *dirname(char *path);
