#ifndef SYSTEMS_ACL_H
#define SYSTEMS_ACL_H

typedef struct acl *acl_t;
int acl_free(void *list);
#if defined(__APPLE__)
typedef enum { ACL_TYPE_EXTENDED = 0x100 } acl_type_t;
acl_t acl_init(int count);
int acl_set_fd(int file, acl_t list);
acl_t acl_get_file(const char *path, acl_type_t type);
#elif defined(__FreeBSD__)
typedef int acl_type_t;
#define ACL_TYPE_ACCESS 2
#define ACL_TYPE_NFS4 4
acl_t acl_get_file(const char *path, acl_type_t type);
acl_t acl_get_fd_np(int file, acl_type_t type);
int acl_set_fd_np(int file, acl_t list, acl_type_t type);
acl_t acl_strip_np(const acl_t list, int recalculate_mask);
int acl_is_trivial_np(const acl_t list, int *trivial);
#endif

#endif
